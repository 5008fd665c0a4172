#include "client/cli/curves.h"

#include <cmath>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/values.h"
#include "client/tensor.h"

namespace activation::cli {
namespace {

// More than a picture has pixels for one panel; odd, so that the middle is a point.
constexpr int kPoints = 1201;

std::string Short(double value) { return absl::StrFormat("%.4g", value); }

// Appends the series to the panel, or tells why there is none.
absl::Status Add(absl::StatusOr<Series> series, Panel& panel) {
  if (!series.ok()) return series.status();
  panel.series.push_back(*std::move(series));
  return absl::OkStatus();
}

// One function for each sigma in a panel.
struct Family {
  const char* name;
  const char* parameter;
  // The parameter at this sigma.
  double (*at)(double sigma);
  std::string title;
};

absl::StatusOr<Panel> FamilyPanel(const Sampler& sampler, const Family& family,
                                  std::span<const double> sigmas) {
  Panel panel{.title = family.title, .y_label = "f(x)"};
  int look = 0;
  for (const double sigma : sigmas) {
    const double value = family.at(sigma);
    const Activation activation{.name = family.name, .parameters = {{family.parameter, value}}};
    absl::Status status =
        Add(sampler.Value(activation, absl::StrCat(family.parameter, " = ", Short(value)), ++look),
            panel);
    if (!status.ok()) return status;
  }
  return panel;
}

double Same(double sigma) { return sigma; }

}  // namespace

Sampler::Sampler(const Client& client, double from, double to) : client_(client), x_(kPoints) {
  for (int i = 0; i < kPoints; ++i) {
    const double share = static_cast<double>(i) / (kPoints - 1);
    x_[i] = from * (1 - share) + to * share;
  }
}

absl::StatusOr<Series> Sampler::Value(const Activation& activation, std::string title,
                                      int look) const {
  absl::StatusOr<EvaluateResult> result = client_.Evaluate(activation, MakeTensor(x_));
  if (!result.ok()) return result.status();
  if (result->activation.axis.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", activation.name,
                     "' maps rows, not single numbers: it has no curve that could be drawn"));
  }
  return Series{.title = std::move(title), .x = x_, .y = ToDoubles(result->output), .look = look};
}

absl::StatusOr<Series> Sampler::Derivative(const Activation& activation, std::string title,
                                           int look) const {
  absl::StatusOr<GradientResult> result =
      client_.Gradient({.activation = activation, .input = MakeTensor(x_)});
  if (!result.ok()) return result.status();
  return Series{.title = std::move(title), .x = x_, .y = ToDoubles(result->gradient), .look = look};
}

absl::StatusOr<Picture> FunctionPicture(const Sampler& sampler,
                                        std::span<const Activation> activations) {
  Panel values{.title = "value", .y_label = "f(x)"};
  Panel derivatives{.title = "derivative", .y_label = "f'(x)"};
  int look = 0;
  std::string title;
  for (const Activation& activation : activations) {
    const std::string name = FormatActivation(activation);
    absl::StrAppend(&title, title.empty() ? "" : ", ", name);
    absl::Status status = Add(sampler.Value(activation, name, look), values);
    if (status.ok()) status = Add(sampler.Derivative(activation, name, look), derivatives);
    if (!status.ok()) return status;
    ++look;
  }
  return Picture{.title = std::move(title),
                 .columns = 2,
                 .panels = {std::move(values), std::move(derivatives)}};
}

absl::StatusOr<Picture> ChainPicture(const Sampler& sampler, std::span<const double> sigmas) {
  const double root = std::sqrt(2.);
  const Family families[] = {
      {"delta_gaussian", "sigma", Same, "1. delta_gaussian: Dirac's delta, smoothed"},
      {"step_normal", "sigma", Same, "2. step_normal: its integral, a smooth step"},
      {"gelu_sigma", "sigma", [](double sigma) { return sigma / std::sqrt(2.); },
       "3. gelu_sigma: x times the step, a smooth ReLU"},
  };
  Picture picture{.title = "Where GELU comes from", .columns = 2};
  for (const Family& family : families) {
    absl::StatusOr<Panel> panel = FamilyPanel(sampler, family, sigmas);
    if (!panel.ok()) return panel.status();
    picture.panels.push_back(*std::move(panel));
  }
  // What each of them becomes as sigma goes to 0.
  absl::Status status = Add(sampler.Value({.name = "step"}, "step", 0), picture.panels[1]);
  if (status.ok()) status = Add(sampler.Value({.name = "relu"}, "relu", 0), picture.panels[2]);
  for (size_t i = 0; i < sigmas.size(); ++i) {
    picture.panels[2].series[i].title =
        absl::StrCat("sigma = ", Short(sigmas[i] / root), " (of the step: ", Short(sigmas[i]), ")");
  }
  Panel gelu{.title = "4. gelu: the smooth ReLU of step_normal at sigma = sqrt(2)",
             .y_label = "f(x), f'(x)"};
  if (status.ok()) status = Add(sampler.Value({.name = "gelu"}, "gelu", 4), gelu);
  if (status.ok()) status = Add(sampler.Derivative({.name = "gelu"}, "its derivative", 5), gelu);
  if (!status.ok()) return status;
  picture.panels.push_back(std::move(gelu));
  return picture;
}

absl::StatusOr<Picture> DeltasPicture(const Sampler& sampler, std::span<const double> sigmas) {
  const Family families[] = {
      {"delta_gaussian", "sigma", Same, "delta_gaussian"},
      {"delta_triangle", "eps", Same, "delta_triangle"},
      {"delta_lorentz", "a", Same, "delta_lorentz"},
      {"delta_sinc", "alpha", [](double sigma) { return 1 / sigma; }, "delta_sinc"},
  };
  Picture picture{.title = "Dirac's delta, smoothed in four ways", .columns = 2};
  for (const Family& family : families) {
    absl::StatusOr<Panel> panel = FamilyPanel(sampler, family, sigmas);
    if (!panel.ok()) return panel.status();
    picture.panels.push_back(*std::move(panel));
  }
  return picture;
}

}  // namespace activation::cli
