// Decimal numbers, rounded once to any of the four types.
#ifndef ACTIVATION_SERVER_FORMULA_DECIMAL_H_
#define ACTIVATION_SERVER_FORMULA_DECIMAL_H_

#include <absl/strings/string_view.h>

#include "proto/element_type.h"

namespace activation::formula {

// The value of `type` next to a decimal number within float64's range, ties to even. Never rounded
// twice: 1.00000005960464477540 is just above the middle between two float32, but its float64 is
// that middle.
double RoundDecimal(absl::string_view number, DataType type);

}  // namespace activation::formula

#endif  // ACTIVATION_SERVER_FORMULA_DECIMAL_H_
