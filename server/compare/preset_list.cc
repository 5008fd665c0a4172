#include "server/compare/preset_list.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <absl/strings/string_view.h>

#include <limits>
#include <vector>

namespace activation::server {
namespace {

constexpr double kAny = std::numeric_limits<double>::max();

constexpr engine::Parameter kIbertParameters[] = {
    {"a", "Of (|x|/sqrt(2) + b)^2.", -0.2888, -kAny, kAny},
    {"b", "Where the parabola has its top, negative.", -1.769, -kAny, 0},
};
constexpr engine::Parameter kSigmoidScale[] = {
    {"scale", "Of x in the sigmoid.", 1.702, -kAny, kAny}};
constexpr engine::Parameter kTanhParameters[] = {
    {"scale", "sqrt(2/pi), in as many digits as code has.", 0.7978845608, -kAny, kAny},
    {"cubic", "Of x^3.", 0.044715, -kAny, kAny},
};
constexpr engine::Parameter kHardSigmoidParameters[] = {
    {"alpha", "Slope.", 0.2, -kAny, kAny},
    {"beta", "Value at 0, before clamping.", 0.5, -kAny, kAny},
};

constexpr const char* kBound = "x is clamped to [-bound, bound] first.";
constexpr engine::Parameter kEigenBound[] = {{"bound", kBound, 7.90531110763549805, 0, kAny}};
// Where the quotients reach 1.
constexpr engine::Parameter kPade32Bound[] = {{"bound", kBound, 2.3221853546260855, 0, kAny}};
constexpr engine::Parameter kPade54Bound[] = {{"bound", kBound, 3.6467385953296434, 0, kAny}};
constexpr engine::Parameter kPade76Bound[] = {{"bound", kBound, 4.9717868585279357, 0, kAny}};

// The formula with $ replaced.
std::string With(absl::string_view term, absl::string_view formula) {
  return absl::StrReplaceAll(formula, {{"$", term}});
}

// x/2 (1 + erf(x/sqrt 2)), by an erf of |x|/sqrt 2 in which $ stands for `term`.
std::string Gelu(absl::string_view term, absl::string_view erf) {
  return absl::StrCat("x/2*(1+(x < 0 ? -1 : 1)*(", With(term, erf), "))");
}

constexpr absl::string_view kClamped = "max(-bound,min(bound,x))";
constexpr absl::string_view kMagnitude = "(abs(x)/sqrt(2))";
constexpr absl::string_view kStegun =
    "Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, ";
constexpr const char* kHendrycks = "Hendrycks and Gimpel, Gaussian Error Linear Units, 2016";
constexpr const char* kHoward = "Howard et al., Searching for MobileNetV3, 2019";
constexpr const char* kKim = "Kim et al., I-BERT: Integer-only BERT Quantization, 2021";
constexpr const char* kLambert = "Lambert's continued fraction, 1770, cut off";

std::vector<PresetSpec> MakePresets() {
  return {
      {.name = "gelu_erf_7_1_25",
       .reference = "gelu",
       .description = "erf by a cubic in 1/(1 + p x), to 2.5e-5.",
       .source = absl::StrCat(kStegun, "7.1.25 (Hastings, 1955)"),
       .formula = Gelu("(1/(1+0.47047*abs(x)/sqrt(2)))",
                       "1-((0.7478556*$-0.0958798)*$+0.3480242)*$*exp(-x^2/2)")},
      {.name = "gelu_erf_7_1_26",
       .reference = "gelu",
       .description = "erf by a quintic in 1/(1 + p x), to 1.5e-7.",
       .source = absl::StrCat(kStegun, "7.1.26 (Hastings, 1955)"),
       .formula = Gelu("(1/(1+0.3275911*abs(x)/sqrt(2)))",
                       "1-((((1.061405429*$-1.453152027)*$+1.421413741)*$-0.284496736)*$"
                       "+0.254829592)*$*exp(-x^2/2)")},
      {.name = "gelu_erf_7_1_27",
       .reference = "gelu",
       .description = "erf by the fourth power of a quartic, without exp, to 5e-4.",
       .source = absl::StrCat(kStegun, "7.1.27 (Hastings, 1955)"),
       .formula = Gelu(kMagnitude, "1-1/((((0.078108*$+0.000972)*$+0.230389)*$+0.278393)*$+1)^4")},
      {.name = "gelu_erf_7_1_28",
       .reference = "gelu",
       .description = "erf by the 16th power of a sextic, without exp, to 3e-7.",
       .source = absl::StrCat(kStegun, "7.1.28 (Hastings, 1955)"),
       .formula = Gelu(kMagnitude,
                       "1-1/((((((0.0000430638*$+0.0002765672)*$+0.0001520143)*$+0.0092705272)*$"
                       "+0.0422820123)*$+0.0705230784)*$+1)^16")},
      {.name = "gelu_ibert",
       .reference = "gelu",
       .description = "erf by a clamped parabola, for integer arithmetic; GELU to 0.018.",
       .source = kKim,
       .formula = Gelu(kMagnitude, "a*(min($,-b)+b)^2+1"),
       .parameters = kIbertParameters},
      {.name = "gelu_by_tanh",
       .reference = "gelu",
       .description = "The tanh form as code has it; the catalogue's gelu_tanh is its exact value.",
       .source = kHendrycks,
       .formula = "0.5*x*(1+tanh(scale*(x+cubic*x^3)))",
       .parameters = kTanhParameters},
      {.name = "gelu_by_sigmoid",
       .reference = "gelu",
       .description = "The sigmoid form as code has it; the catalogue's gelu_sigmoid is its exact "
                      "value.",
       .source = kHendrycks,
       .formula = "x/(1+exp(-scale*x))",
       .parameters = kSigmoidScale},
      {.name = "gelu_hard",
       .reference = "gelu",
       .description = "The sigmoid form with a hard sigmoid.",
       .source = kKim,
       .formula = "x*max(0,min(6,scale*x+3))/6",
       .parameters = kSigmoidScale},
      {.name = "gelu_relu",
       .reference = "gelu",
       .description = "ReLU.",
       .source = kHendrycks,
       .formula = "max(x,0)"},
      {.name = "softplus_relu",
       .reference = "softplus",
       .description = "ReLU.",
       .source = "Nair and Hinton, Rectified Linear Units Improve Restricted Boltzmann Machines, "
                 "2010",
       .formula = "max(x,0)"},
      {.name = "silu_hard",
       .reference = "silu",
       .description = "Hard swish.",
       .source = kHoward,
       .formula = "x*max(0,min(6,x+3))/6"},
      {.name = "sigmoid_hard",
       .reference = "sigmoid",
       .description =
           "Three straight pieces with the bounds -3 and 3, as PyTorch, JAX and Keras 3.",
       .source = kHoward,
       .formula = "max(0,min(6,x+3))/6"},
      {.name = "sigmoid_hard_linear",
       .reference = "sigmoid",
       .description = "Three straight pieces with a slope of choice; the default is that of ONNX "
                      "and Keras 2.",
       .source = "ONNX, operator HardSigmoid, 2017",
       .formula = "max(0,min(1,alpha*x+beta))",
       .parameters = kHardSigmoidParameters},
      {.name = "sigmoid_plan",
       .reference = "sigmoid",
       .description = "PLAN: seven straight pieces whose slopes are powers of 2, to 0.019.",
       .source = "Amin, Curtis and Hayes-Gill, Piecewise linear approximation applied to nonlinear "
                 "function of a neural network, 1997",
       .formula = With("(abs(x) >= 5 ? 1 : abs(x) >= 2.375 ? 0.03125*abs(x)+0.84375 : abs(x) >= 1 "
                       "? 0.125*abs(x)+0.625 : 0.25*abs(x)+0.5)",
                       "x < 0 ? 1-$ : $")},
      {.name = "tanh_hard",
       .reference = "tanh",
       .description = "x clamped to [-1, 1].",
       .source = "Collobert, Large Scale Machine Learning, 2004",
       .formula = "max(-1,min(1,x))"},
      {.name = "tanh_rational_13_6",
       .reference = "tanh",
       .description = "The quotient of an odd polynomial of degree 13 and an even one of degree 6, "
                      "to 3e-7.",
       .source = "Eigen 3.4, Eigen/src/Core/MathFunctionsImpl.h, 2021",
       .formula = With(kClamped,
                       "$*((((((-2.76076847742355e-16*$^2+2.00018790482477e-13)*$^2"
                       "-8.60467152213735e-11)*$^2+5.12229709037114e-08)*$^2"
                       "+1.48572235717979e-05)*$^2+6.37261928875436e-04)*$^2"
                       "+4.89352455891786e-03)"
                       "/(((1.19825839466702e-06*$^2+1.18534705686654e-04)*$^2"
                       "+2.26843463243900e-03)*$^2+4.89352518554385e-03)"),
       .parameters = kEigenBound},
      {.name = "tanh_pade_3_2",
       .reference = "tanh",
       .description = "Pade's approximant of order 3 over 2 at 0, clamped, to 0.02.",
       .source = kLambert,
       .formula = With(kClamped, "$*(15+$^2)/(15+6*$^2)"),
       .parameters = kPade32Bound},
      {.name = "tanh_pade_5_4",
       .reference = "tanh",
       .description = "Pade's approximant of order 5 over 4 at 0, clamped, to 0.0014.",
       .source = kLambert,
       .formula = With(kClamped, "$*(945+(105+$^2)*$^2)/(945+(420+15*$^2)*$^2)"),
       .parameters = kPade54Bound},
      {.name = "tanh_pade_7_6",
       .reference = "tanh",
       .description = "Pade's approximant of order 7 over 6 at 0, clamped, to 1e-4.",
       .source = absl::StrCat(kLambert, "; in the JUCE library"),
       .formula = With(
           kClamped, "$*(135135+(17325+(378+$^2)*$^2)*$^2)/(135135+(62370+(3150+28*$^2)*$^2)*$^2)"),
       .parameters = kPade76Bound},
      {.name = "piecewise_linear",
       .reference = "",
       .description = "A table with straight lines between evenly spaced knots, in float64.",
       .source = "Linear interpolation, the form of most look-up tables in hardware",
       .parameters = kSegmentParameters,
       .table = MakePiecewiseLinear},
      {.name = "piecewise_quadratic",
       .reference = "",
       .description = "A table with a parabola through the ends and the middle of each of evenly "
                      "long segments, in float64.",
       .source = "Quadratic interpolation, Newton's form",
       .parameters = kSegmentParameters,
       .table = MakePiecewiseQuadratic},
      {.name = "fixed_point_piecewise_linear",
       .reference = "",
       .description = "piecewise_linear with input, table and arithmetic in fixed point, which "
                      "rounds to nearest and saturates.",
       .source = "Linear interpolation, the form of most look-up tables in hardware",
       .parameters = kFixedPointParameters,
       .table = MakeFixedPointPiecewiseLinear},
  };
}

}  // namespace

std::span<const PresetSpec> Presets() {
  // Never destroyed: other static objects may need it until the end.
  static const auto& presets = *new std::vector<PresetSpec>(MakePresets());
  return presets;
}

}  // namespace activation::server
