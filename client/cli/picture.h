// A picture as data: panels with curves, points and bars. gnuplot.h draws it.
#ifndef ACTIVATION_CLIENT_CLI_PICTURE_H_
#define ACTIVATION_CLIENT_CLI_PICTURE_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace activation::cli {

enum class Mark {
  // Neighbours are joined; a number that is not finite leaves a gap.
  kLine,
  // Each point stands for itself, with its label beside it.
  kPoint,
  // A bar from 0 to y, as wide as the distance 1 on the x axis.
  kBar,
};

// Texts may hold anything: they are shown as they are, cut where they are too long.
struct Series {
  // In the legend; empty: not there.
  std::string title = {};
  // Equally long.
  std::vector<double> x = {};
  std::vector<double> y = {};
  Mark mark = Mark::kLine;
  // Beside the one point of kPoint.
  std::string label = {};
  // The look of the n-th kind of thing, the same in every panel. Looks differ in dashes and width
  // as well as in colour.
  int look = 0;
};

struct Panel {
  std::string title = {};
  std::string x_label = "x";
  std::string y_label = {};
  std::vector<Series> series = {};
  bool log_y = false;
  // Default: from the lowest to the highest x.
  std::optional<std::pair<double, double>> x_range = std::nullopt;
  // The names of x = 0, 1, ..., in place of numbers.
  std::vector<std::string> x_names = {};
};

struct Picture {
  std::string title = {};
  // Panels side by side; they go on in the next row.
  int columns = 1;
  std::vector<Panel> panels = {};
};

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_PICTURE_H_
