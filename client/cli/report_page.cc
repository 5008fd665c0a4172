#include "client/cli/report_page.h"

#include <cctype>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/substitute.h"
#include "client/cli/compare_figures.h"
#include "client/cli/values.h"

namespace activation::cli {
namespace {

using Row = std::vector<std::string>;

// Colours come from the reader's scheme; pictures, which have a white ground, keep it.
constexpr char kPage[] = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$0</title>
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 76rem; margin: 0 auto; padding: 1rem; }
h2 { border-bottom: 1px solid; margin-top: 2.5rem; }
code, td { overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: 0.5rem 0 1rem; }
caption { text-align: left; font-weight: bold; }
th, td { text-align: left; vertical-align: top; padding: 0.2rem 0.7rem 0.2rem 0; border-bottom: 1px solid #8886; }
.numbers th, .numbers td { overflow-wrap: normal; white-space: nowrap; font-variant-numeric: tabular-nums; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 1rem; margin: 1rem 0; }
.pictures svg { display: block; width: 100%; height: auto; background: #fff; }
@media print { body { max-width: none; padding: 0; } .pictures svg, tr { break-inside: avoid; } }
</style>
</head>
<body>
<main>
$1</main>
</body>
</html>
)";

std::string Escaped(const std::string& text) {
  return absl::StrReplaceAll(
      text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}});
}

std::string Page(const std::string& title, const std::string& body) {
  return absl::Substitute(kPage, Escaped(title), body);
}

std::string Code(const std::string& text) {
  return absl::StrCat("<code>", Escaped(text), "</code>");
}

// A table whose cells are HTML; the first row and the first column are headings.
std::string Table(const std::string& caption, const char* style, const std::vector<Row>& rows) {
  if (rows.size() < 2) return {};
  std::string html = absl::StrCat(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"", Escaped(caption),
      "\">\n<table class=\"", style, "\">\n<caption>", Escaped(caption), "</caption>\n");
  for (size_t i = 0; i < rows.size(); ++i) {
    absl::StrAppend(&html, i == 0 ? "<thead>\n<tr>" : "<tr>");
    for (size_t j = 0; j < rows[i].size(); ++j) {
      if (i == 0) {
        absl::StrAppend(&html, "<th scope=\"col\">", rows[i][j], "</th>");
      } else if (j == 0) {
        absl::StrAppend(&html, "<th scope=\"row\">", rows[i][j], "</th>");
      } else {
        absl::StrAppend(&html, "<td>", rows[i][j], "</td>");
      }
    }
    absl::StrAppend(&html, i == 0 ? "</tr>\n</thead>\n<tbody>\n" : "</tr>\n");
  }
  return html + "</tbody>\n</table>\n</div>\n";
}

std::vector<Row> EscapedRows(std::vector<Row> rows) {
  for (Row& row : rows) {
    for (std::string& cell : row) cell = Escaped(cell);
  }
  return rows;
}

// gnuplot's file as an element of the page: without what only a file has, with a title, and with
// ids that no other picture has.
std::string Inline(const ReportPicture& picture, const std::string& id) {
  std::string svg = picture.svg;
  svg.erase(0, svg.find("<svg"));
  const size_t description = svg.find("<desc>");
  constexpr std::string_view kEnd = "</desc>";
  if (const size_t end = svg.find(kEnd); end != std::string::npos) {
    svg.erase(description, end + kEnd.size() - description);
  }
  const std::string prefix = absl::StrCat(id, "-");
  return absl::StrReplaceAll(
      svg, {{" id=\"", absl::StrCat(" id=\"", prefix)},
            {" id='", absl::StrCat(" id='", prefix)},
            {"href='#", absl::StrCat("href='#", prefix)},
            {"href=\"#", absl::StrCat("href=\"#", prefix)},
            {"url(#", absl::StrCat("url(#", prefix)},
            {"<svg", absl::StrCat("<svg role=\"img\" aria-labelledby=\"", prefix, "title\"")},
            {"<title>Gnuplot</title>", absl::StrCat("<title id=\"", prefix, "title\">",
                                                    Escaped(picture.title), "</title>")}});
}

std::string Pictures(const std::vector<ReportPicture>& pictures, const std::string& id) {
  if (pictures.empty()) return {};
  std::string html = "<div class=\"pictures\">\n";
  for (size_t i = 0; i < pictures.size(); ++i) {
    absl::StrAppend(&html, Inline(pictures[i], absl::StrCat(id, "-", i)));
  }
  return html + "</div>\n";
}

std::string Definition(const v1::ActivationInfo& info) {
  std::vector<Row> rows = {{"what", "definition"},
                           {"f(x)", Code(info.formula())},
                           {"f&#39;(x)", Code(info.derivative())}};
  if (info.aliases_size() > 0) {
    rows.push_back({"aliases", absl::StrJoin(info.aliases(), ", ",
                                             [](std::string* out, const std::string& alias) {
                                               absl::StrAppend(out, Code(alias));
                                             })});
  }
  return Table("Definition", "words", rows);
}

std::string Parameters(const v1::ActivationInfo& info) {
  std::vector<Row> rows = {{"parameter", "default", "from", "to", "what it does"}};
  for (const v1::ParameterInfo& parameter : info.parameters()) {
    rows.push_back(
        {Code(parameter.name()), FormatNumber(parameter.default_value()),
         FormatNumber(parameter.minimum()), FormatNumber(parameter.maximum()),
         absl::StrCat(Escaped(parameter.description()), parameter.nonzero() ? " Not 0." : "",
                      parameter.at_most().empty()
                          ? ""
                          : absl::StrCat(" At most ", Code(parameter.at_most()), "."))});
  }
  return Table("Parameters", "words", rows);
}

std::string Points(const v1::ActivationInfo& info) {
  std::vector<Row> kinks = {{"kink at x =", "f&#39; there"}};
  for (const v1::Kink& kink : info.kinks()) {
    kinks.push_back({Code(kink.at()), Code(kink.derivative())});
  }
  std::vector<Row> specials = {{"x", "f(x)", "f&#39;(x)"}};
  for (const v1::SpecialValue& special : info.special_values()) {
    specials.push_back({FormatNumber(special.x()), FormatNumber(special.value()),
                        FormatNumber(special.derivative())});
  }
  return absl::StrCat(Table("Kinks", "words", kinks), Table("Special values", "numbers", specials));
}

std::string Errors(const ReportContent& content) {
  if (content.comparison.reports_size() == 0) return {};
  std::string html =
      absl::StrCat("<h2>Approximations</h2>\n<p>Compared at ", Escaped(content.domain), ".</p>\n");
  std::vector<Row> summary = {{"candidate", "max absolute", "max relative", "max ULP",
                               "mean absolute", "root mean square"}};
  for (const v1::ApproximationReport& report : content.comparison.reports()) {
    Row row = {Escaped(NameOf(report))};
    for (const double figure : {report.max_absolute_error().error(),
                                report.max_relative_error().error(), report.max_ulp_error().error(),
                                report.mean_absolute_error(), report.root_mean_square_error()}) {
      row.push_back(Rounded(figure));
    }
    summary.push_back(std::move(row));
  }
  absl::StrAppend(&html, Table("Largest and mean errors", "numbers", summary));
  for (int i = 0; i < content.comparison.reports_size(); ++i) {
    const v1::ApproximationReport& report = content.comparison.reports(i);
    const std::string name = NameOf(report);
    std::vector<Row> figures = {{"figure", "value"}};
    for (const auto& [figure, value] : Figures(report)) figures.push_back({figure, value});
    absl::StrAppend(&html, "<h3>", Escaped(name), "</h3>\n",
                    Pictures(content.errors[i], absl::StrCat("error", i)),
                    Table(absl::StrCat("Figures of ", name), "words", EscapedRows(figures)));
    std::vector<Row> histogram = HistogramRows(report);
    for (Row& row : histogram) row.pop_back();  // the bars, which the picture has
    absl::StrAppend(
        &html,
        Table(absl::StrCat("Errors of ", name, " in ULP"), "numbers", EscapedRows(histogram)),
        Table(absl::StrCat("Errors of ", name, " by region"), "numbers",
              EscapedRows(RegionRows(report))));
  }
  return html;
}

}  // namespace

std::string ReportPage(const ReportContent& content) {
  const v1::ActivationInfo& info = content.info;
  return Page(info.name(),
              absl::StrCat("<h1>", Escaped(info.name()), "</h1>\n<p>", Escaped(info.description()),
                           "</p>\n", Definition(info), Parameters(info), Points(info),
                           Pictures(content.curves, "curve"), Errors(content)));
}

std::string ReportFileName(const std::string& activation) {
  std::string name;
  for (const char c : activation) {
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return name + ".html";
}

std::string IndexPage(const v1::ListActivationsResponse& catalogue) {
  std::vector<Row> rows = {{"name", "f(x)", "what it is"}};
  for (const v1::ActivationInfo& info : catalogue.activations()) {
    rows.push_back({absl::StrCat("<a href=\"", ReportFileName(info.name()), "\">",
                                 Escaped(info.name()), "</a>"),
                    Code(info.formula()), Escaped(info.description())});
  }
  return Page("Activations",
              absl::StrCat("<h1>Activations</h1>\n", Table("All activations", "words", rows)));
}

}  // namespace activation::cli
