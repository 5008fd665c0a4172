#include "server/formula/kernel.h"

#include <absl/status/status.h>
#include <absl/strings/escaping.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "proto/element_type.h"
#include "server/formula/run.h"

namespace activation::formula {
namespace {

absl::Status ParameterError(absl::string_view name, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("parameters[\"", absl::CHexEscape(name.substr(0, kMaxParameterNameBytes)),
                   name.size() > kMaxParameterNameBytes ? "..." : "", "\"] ", what));
}

absl::Status CheckParameter(absl::string_view name, double value) {
  if (!IsParameterName(name) || name.size() > kMaxParameterNameBytes) {
    return ParameterError(
        name,
        "can't be a parameter's name: it has to be of 1 to 64 letters, digits and _, "
        "not begin with a digit, and be neither x, pi nor a function");
  }
  if (!std::isfinite(value)) {
    return ParameterError(name, absl::StrCat("is ", value, "; it has to be finite"));
  }
  return absl::OkStatus();
}

bool IsUsed(const Tree& tree, size_t parameter) {
  return std::any_of(tree.begin(), tree.end(), [parameter](const Node& node) {
    return node.op == Op::kParameter && static_cast<size_t>(node.number) == parameter;
  });
}

}  // namespace

absl::StatusOr<FormulaKernel> FormulaKernel::Make(const FormulaSpec& spec,
                                                  engine::Quantity quantity,
                                                  absl::string_view name) {
  std::vector<std::string> names;
  std::vector<double> values;
  for (const auto& [parameter, value] : spec.parameters) {
    if (absl::Status status = CheckParameter(parameter, value); !status.ok()) return status;
    names.push_back(parameter);
    values.push_back(value);
  }
  const absl::StatusOr<Tree> tree = Parse(spec.expression, names);
  if (!tree.ok()) {
    const absl::string_view message = tree.status().message();
    const absl::string_view separator = absl::StartsWith(message, "column") ? ": " : " ";
    return absl::InvalidArgumentError(absl::StrCat(name, separator, message));
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (!IsUsed(*tree, i)) {
      return ParameterError(names[i], absl::StrCat("is not used in the ", name));
    }
  }
  return FormulaKernel(MakeProgram(*tree, values, spec.arithmetic, spec.is_fused, quantity));
}

void FormulaKernel::Run(DataType type, const std::byte* x, std::byte* y, size_t count) const {
  formula::Run(program_, type, x, y, count);
}

size_t FormulaKernel::SizeInBytes() const {
  return (program_.steps.size() + program_.uniform_steps.size()) * sizeof(Step) +
         program_.constants.size() * sizeof(program_.constants[0]);
}

void FormulaKernel::RunDoubles(const double* x, double* y, size_t count) const {
  Run(DataType::kFloat64, reinterpret_cast<const std::byte*>(x), reinterpret_cast<std::byte*>(y),
      count);
}

}  // namespace activation::formula
