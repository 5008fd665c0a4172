#include "tests/bench/report.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

#include "tests/bench/cases.h"

namespace activation::bench {
namespace {

using Run = benchmark::BenchmarkReporter::Run;

// A column of a table, by its header. `ratio_to` is the column that a ratio divides by.
struct Column {
  const char* header;
  const char* counter;
  const char* ratio_to = nullptr;
};

struct Row {
  std::string name;
  std::map<std::string, double> counters;
};

// The table of a group; without one, of all groups that no other table is for.
struct Layout {
  const char* group;
  const char* title;
  std::vector<Column> columns;
};

const std::vector<Layout>& Layouts() {
  static const auto& layouts = *new std::vector<Layout>{
      {"peers",
       "float32 beside peers",
       {{"ours, ns", "ours"},
        {"oneDNN, ns", "oneDNN"},
        {"SLEEF, ns", "SLEEF"},
        {"memcpy, ns", "memcpy"},
        {"ours/oneDNN", "ours", "oneDNN"},
        {"ours/SLEEF", "ours", "SLEEF"},
        {"ours/memcpy", "ours", "memcpy"},
        {"oneDNN's largest difference", "difference oneDNN"},
        {"SLEEF's", "difference SLEEF"},
        {"to the slow path", "slow path"}}},
      {"threads",
       "float32 through the server's queue of work",
       {{"1 thread, ns", "1 thread"},
        {"2 threads, ns", "2 threads"},
        {"times as fast", "1 thread", "2 threads"}}},
      {nullptr,
       "The whole catalogue",
       {{"float32, ns", "float32 value"},
        {"to the slow path", "float32 value slow path"},
        {"float32 derivative, ns", "float32 derivative"},
        {"to the slow path", "float32 derivative slow path"},
        {"float64, ns", "float64 value"},
        {"float64 derivative, ns", "float64 derivative"},
        {"float16, ns", "float16 value"},
        {"float16 derivative, ns", "float16 derivative"},
        {"bfloat16, ns", "bfloat16 value"},
        {"bfloat16 derivative, ns", "bfloat16 derivative"}}},
  };
  return layouts;
}

// NaN where the row has no such thing.
double Cell(const Row& row, const Column& column) {
  const auto value = row.counters.find(column.counter);
  if (value == row.counters.end()) return std::nan("");
  return column.ratio_to == nullptr ? value->second
                                    : value->second / row.counters.at(column.ratio_to);
}

// Differences and shares, which are no times.
bool IsSmall(const Column& column) {
  const std::string_view counter = column.counter;
  return counter.starts_with(kDifferencePrefix) || counter.ends_with(kSlowPath);
}

std::string ToLine(const std::string& first, const std::vector<std::string>& cells) {
  return absl::StrCat("| ", first, " | ", absl::StrJoin(cells, " | "), " |\n");
}

std::string ToTable(const std::vector<Column>& columns, const std::vector<Row>& rows) {
  std::vector<std::string> headers, means;
  bool has_ratios = false;
  for (const Column& column : columns) {
    headers.push_back(column.header);
    double logs = 0;
    for (const Row& row : rows) logs += std::log(Cell(row, column));
    const bool is_ratio = column.ratio_to != nullptr;
    means.push_back(
        is_ratio ? absl::StrFormat("**%.2f**", std::exp(logs / static_cast<double>(rows.size())))
                 : "");
    has_ratios |= is_ratio;
  }
  std::string table =
      ToLine("function", headers) + ToLine("---", std::vector<std::string>(columns.size(), "---:"));
  for (const Row& row : rows) {
    std::vector<std::string> cells;
    for (const Column& column : columns) {
      const double value = Cell(row, column);
      cells.push_back(std::isnan(value) ? ""
                      : IsSmall(column)
                          ? absl::StrFormat("%.1e", value)
                          : absl::StrFormat(column.ratio_to != nullptr ? "%.2f" : "%.3f", value));
    }
    table += ToLine(row.name, cells);
  }
  return has_ratios ? table + ToLine("geometric mean", means) : table;
}

// A run's place: in which table, in which row, and in which column where its counter's name does
// not say so.
struct Place {
  const Layout* layout;
  std::string title;
  std::string function;
  std::string column;
};

// From group/quantity/elements/function/...
Place PlaceOf(const Run& run) {
  const std::vector<std::string> parts = absl::StrSplit(run.run_name.function_name, '/');
  const std::string elements = parts[2] + " elements";
  for (const Layout& layout : Layouts()) {
    if (layout.group == nullptr) {
      return {&layout, absl::StrCat(layout.title, ", ", elements), parts[3],
              parts[0] + " " + parts[1]};
    }
    if (parts[0] == layout.group) {
      return {&layout, absl::StrCat(layout.title, ", ", parts[1], ", ", elements), parts[3], ""};
    }
  }
  std::abort();  // the last table is for all
}

Row& RowOf(std::vector<Row>& rows, const std::string& name) {
  for (Row& row : rows) {
    if (row.name == name) return row;
  }
  rows.push_back({name, {}});
  return rows.back();
}

}  // namespace

void Reporter::ReportRuns(const std::vector<Run>& runs) {
  ConsoleReporter::ReportRuns(runs);
  for (const Run& run : runs) {
    failed_ |= run.error_occurred;
    if (!run.error_occurred) runs_.push_back(run);
  }
}

std::string ToMarkdown(const std::vector<Run>& runs) {
  std::string text;
  for (const Layout& layout : Layouts()) {
    std::vector<std::pair<std::string, std::vector<Row>>> tables;
    for (const Run& run : runs) {
      const Place place = PlaceOf(run);
      if (place.layout != &layout) continue;
      if (tables.empty() || tables.back().first != place.title) tables.push_back({place.title, {}});
      Row& row = RowOf(tables.back().second, place.function);
      for (const auto& [name, counter] : run.counters) {
        const bool is_time = name != kSlowPath;
        row.counters[place.column.empty() ? name
                     : is_time            ? place.column
                                          : absl::StrCat(place.column, " ", name)] = counter.value;
      }
    }
    for (const auto& [title, rows] : tables) {
      absl::StrAppend(&text, "\n## ", title, "\n\n", ToTable(layout.columns, rows));
    }
  }
  return text;
}

}  // namespace activation::bench
