// Numbers as people write them: decimal, hex floats, inf, nan; and back, so that reading what was
// printed gives the same bits.
#ifndef ACTIVATION_CLIENT_CLI_VALUES_H_
#define ACTIVATION_CLIENT_CLI_VALUES_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/requests.h"
#include "client/tensor.h"

namespace activation::cli {

// "float32", "float64", "float16", "bfloat16".
std::vector<std::string> DataTypeNames();

// One number, as strtod reads it: "-5.5", "1e-3", "0x1.8p+1", "inf", "nan", "-0". The nearest
// float64. INVALID_ARGUMENT, quoting the text, for anything else.
absl::StatusOr<double> ParseNumber(const std::string& text);

// A flat tensor of the numbers, each rounded from its digits to `type` once, to nearest, ties to
// even; what is above the type's largest number becomes an infinity.
absl::StatusOr<Tensor> ParseValues(DataType type, std::span<const std::string> texts);

// What stands between white space.
std::vector<std::string> SplitWords(const std::string& text);

// "name=value" each, as --param takes them. INVALID_ARGUMENT for another form or a name given
// twice.
absl::StatusOr<Parameters> ParseParameters(std::span<const std::string> texts);

// "name" or "name:parameter=value,parameter=value". The name may have a colon itself.
absl::StatusOr<Activation> ParseActivation(const std::string& text);

// The shortest decimal that `type` reads back as the same value, which must be one of `type`'s.
std::string FormatDecimal(DataType type, double value);

// The same for a float64.
std::string FormatNumber(double value);

// The value as a hex float without trailing zeros: "-0x1.8p+1", "0x0p+0", "inf", "nan".
std::string FormatHex(double value);

// The activation as ParseActivation reads it.
std::string FormatActivation(const Activation& activation);

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_VALUES_H_
