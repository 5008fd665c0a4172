#include "client/cli/gnuplot_script.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace activation::cli {
namespace {

// Okabe and Ito's colours, which colour-blind people can tell apart, in an order that alternates
// dark and light; with the dashes the lines differ in black and white, too.
struct Look {
  const char* color;
  const char* dashes;
  double width;
};
constexpr Look kLooks[] = {
    {"#000000", "solid", 1.6},        {"#0072B2", "(12,5)", 2.4}, {"#D55E00", "(3,4)", 2.6},
    {"#009E73", "(14,4,3,4)", 2.2},   {"#CC79A7", "solid", 3.6},  {"#56B4E9", "(6,6)", 3.6},
    {"#E69F00", "(10,3,2,3,2,3)", 3},
};

// Pixels (points, for PDF, which is drawn at this many hundredths of an inch) of one panel.
constexpr int kPanelWidth = 560;
constexpr int kPanelHeight = 400;
constexpr int kTitleHeight = 30;
// Characters.
constexpr int kTextPanelRows = 22;
constexpr int kTextPanelColumns = 60;
constexpr size_t kMaxTitle = 60;
constexpr size_t kMaxKey = 44;

// At most so many characters of UTF-8, without what could end a line or confuse a terminal.
std::string Shown(const std::string& text, size_t limit) {
  std::string shown;
  size_t characters = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0) != 0x80 && ++characters > limit) return absl::StrCat(shown, "…");
    shown += byte < 0x20 || byte == 0x7f ? ' ' : c;
  }
  return shown;
}

// In double quotes, with all but letters as octal escapes, so that there is nothing to interpret.
// Digits too: gnuplot takes those after an escape as part of it. In single quotes it takes two of
// them at the beginning for the end of the string.
std::string Quoted(const std::string& text, size_t limit) {
  std::string quoted = "\"";
  for (const char c : Shown(text, limit)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalpha(byte) != 0 || byte == ' ' || byte >= 0x80;
    absl::StrAppend(&quoted, plain ? std::string(1, c) : absl::StrFormat("\\%03o", byte));
  }
  return quoted + "\"";
}

std::string Number(double value) {
  return std::isfinite(value) ? absl::StrFormat("%.9g", value) : "NaN";
}

const Look& LookOf(const Series& series) {
  return kLooks[static_cast<size_t>(series.look) % std::size(kLooks)];
}

std::string DataName(size_t panel, size_t series) { return absl::StrCat("$d", panel, "_", series); }

std::string Data(const Series& series, size_t panel, size_t index) {
  std::string data = absl::StrCat(DataName(panel, index), " << EOD\n");
  for (size_t i = 0; i < series.x.size(); ++i) {
    absl::StrAppend(&data, Number(series.x[i]), " ", Number(series.y[i]), "\n");
  }
  return data + "EOD\n";
}

int RowCount(const Picture& picture, int columns) {
  return (static_cast<int>(picture.panels.size()) + columns - 1) / std::max(columns, 1);
}

std::string Terminal(const Picture& picture, PictureType type, int columns, int text_columns) {
  const int rows = RowCount(picture, columns);
  if (type == PictureType::kText) {
    return absl::StrFormat("dumb noenhanced mono nofeed size %d,%d", text_columns - 1,
                           rows * kTextPanelRows + 2);
  }
  return TerminalOf(type, columns * kPanelWidth, rows * kPanelHeight + kTitleHeight);
}

std::string XNames(const Panel& panel) {
  std::vector<std::string> names;
  for (size_t i = 0; i < panel.x_names.size(); ++i) {
    names.push_back(absl::StrCat(Quoted(panel.x_names[i], kMaxKey), " ", i));
  }
  return absl::StrCat("set xtics (", absl::StrJoin(names, ","), ") rotate by 90 right\n");
}

std::string PlotElement(const Series& series, const std::string& data) {
  const Look& look = LookOf(series);
  const std::string title =
      series.title.empty() ? "notitle" : absl::StrCat("title ", Quoted(series.title, kMaxKey));
  switch (series.mark) {
    case Mark::kLine:
      return absl::StrFormat(
          "%s using 1:2 with lines linecolor rgb '%s' linewidth %g dashtype %s %s", data,
          look.color, look.width, look.dashes, title);
    case Mark::kPoint:
      return absl::StrFormat(
          "%s using 1:2 with points linecolor rgb '%s' pointtype 7 pointsize 0.9 %s", data,
          look.color, title);
    case Mark::kBar:
      return absl::StrFormat(
          "%s using 1:2 with boxes linecolor rgb '%s' fillstyle solid 0.35 border %s", data,
          look.color, title);
  }
  return {};
}

std::pair<double, double> XRange(const Panel& panel) {
  if (panel.x_range.has_value()) return *panel.x_range;
  double low = HUGE_VAL;
  double high = -HUGE_VAL;
  for (const Series& series : panel.series) {
    for (const double x : series.x) {
      if (!std::isfinite(x)) continue;
      low = std::min(low, x);
      high = std::max(high, x);
    }
  }
  if (!(low <= high)) return {-1, 1};
  return low < high ? std::pair(low, high) : std::pair(low - 1, high + 1);
}

// Whether anything can be drawn: gnuplot takes an empty panel for an error.
bool HasPoints(const Panel& panel) {
  for (const Series& series : panel.series) {
    for (size_t i = 0; i < series.y.size(); ++i) {
      if (std::isfinite(series.x[i]) && std::isfinite(series.y[i]) &&
          (!panel.log_y || series.y[i] > 0)) {
        return true;
      }
    }
  }
  return false;
}

// A label stands above its point, or below it where the point is below 0; at the sides of the
// panel, towards the middle.
std::string Labels(const Panel& panel, std::pair<double, double> range) {
  constexpr double kSide = 0.25;
  std::string labels;
  for (const Series& series : panel.series) {
    if (series.label.empty() || series.x.empty()) continue;
    const double place = (series.x[0] - range.first) / (range.second - range.first);
    const char* align = place < kSide ? " left" : place > 1 - kSide ? " right" : " center";
    absl::StrAppend(&labels, "set label ", Quoted(series.label, kMaxTitle), " at ",
                    Number(series.x[0]), ",", Number(series.y[0]), align, " offset 0,",
                    series.y[0] < 0 ? "-0.9" : "0.9",
                    " front\nset offsets graph 0, graph 0, graph 0.12, graph 0.12\n");
  }
  return labels;
}

std::string PanelScript(const Panel& panel, size_t index) {
  const auto [low, high] = XRange(panel);
  std::string script = absl::StrCat(
      "unset label\nset offsets\nset title ", Quoted(panel.title, kMaxTitle), "\nset xlabel ",
      Quoted(panel.x_label, kMaxTitle), "\nset ylabel ", Quoted(panel.y_label, kMaxTitle),
      "\nset xrange [", Number(low), ":", Number(high), "]\n",
      panel.x_names.empty() ? "set xtics autofreq norotate\n" : XNames(panel),
      panel.log_y ? "set logscale y\nunset mytics\nset format y '%.0e'\n"
                  : "unset logscale\nset format y '%g'\n",
      Labels(panel, {low, high}));
  if (!HasPoints(panel)) {
    absl::StrAppend(&script,
                    "unset logscale\nset label 'nothing to draw' at graph 0.5,0.5 center\n",
                    "plot [] [0:1] NaN notitle\n");
    return script;
  }
  std::vector<std::string> elements;
  for (size_t i = 0; i < panel.series.size(); ++i) {
    elements.push_back(PlotElement(panel.series[i], DataName(index, i)));
  }
  absl::StrAppend(&script, "plot ", absl::StrJoin(elements, ", \\\n     "), "\n");
  return script;
}

}  // namespace

std::string GnuplotScript(const Picture& picture, PictureType type, int text_columns) {
  const bool text = type == PictureType::kText;
  const int columns =
      text ? std::clamp(text_columns / kTextPanelColumns, 1, picture.columns) : picture.columns;
  std::string script = "set encoding utf8\n";
  for (size_t i = 0; i < picture.panels.size(); ++i) {
    for (size_t j = 0; j < picture.panels[i].series.size(); ++j) {
      script += Data(picture.panels[i].series[j], i, j);
    }
  }
  absl::StrAppend(&script, "set terminal ", Terminal(picture, type, columns, text_columns), "\n",
                  "set key bottom outside center horizontal Left reverse width 1\n",
                  text ? "" : "set grid linecolor rgb '#c4c4c4' linewidth 0.8 dashtype solid\n",
                  "set xlabel offset 0,0.4\nset border 3\nset tics nomirror\nset boxwidth 0.8\n",
                  "set multiplot layout ", RowCount(picture, columns), ",", columns, " title ",
                  Quoted(picture.title, kMaxTitle * 2), "\n");
  for (size_t i = 0; i < picture.panels.size(); ++i) script += PanelScript(picture.panels[i], i);
  return script + "unset multiplot\n";
}

}  // namespace activation::cli
