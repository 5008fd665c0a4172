#include "server/compare_errors.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "server/error_text.h"
#include "server/errors.h"
#include "server/limits.h"

namespace activation::server::errors {

absl::Status NoCandidates(absl::string_view field, const engine::Spec& reference) {
  return Invalid(field, " is empty, and ", reference.name,
                 " has no approximations that could stand in; give at least one");
}

absl::Status MissingDomain(absl::string_view field) {
  return Invalid(field, " is required: give one of grid, points, every_value and normal");
}

absl::Status NotFinite(absl::string_view field, double value) {
  return Invalid(field, " is ", Number(value), "; it has to be finite");
}

absl::Status IsNan(absl::string_view field) {
  return Invalid(field, " is NaN; it has to be a number or an infinity");
}

absl::Status NotPositive(absl::string_view field, double value) {
  return Invalid(field, " is ", Number(value), "; it has to be finite and above 0");
}

absl::Status NotAscending(absl::string_view field, double value, double before) {
  return Invalid(field, " is ", Number(value), "; it has to be above the one before it, ",
                 Number(before));
}

absl::Status RangeReversed(absl::string_view field, double from, double to) {
  return Invalid(field, ".to is ", Number(to), ", which is below from, ", Number(from));
}

absl::Status NoValueBetween(absl::string_view field, engine::DataType type) {
  return Invalid(field, ": there is no ", NameOf(type), " value from `from` to `to`");
}

absl::Status TooManyValues(absl::string_view field, engine::DataType type, int64_t maximum) {
  return Invalid(field, " has more than ", maximum, " ", NameOf(type),
                 " values, which are allowed; narrow it by from and to",
                 type == engine::DataType::kFloat32
                     ? ", or call CompareApproximationsStream, which may have all"
                     : "");
}

absl::Status OutOfRange(absl::string_view field, int64_t value, int64_t minimum, int64_t maximum) {
  return Invalid(field, " is ", value, "; allowed are ", minimum, " to ", maximum);
}

absl::Status MissingForm(absl::string_view field) {
  return Invalid(field, " is required: give one of formula, outputs, table and preset");
}

absl::Status LabelTooLong(absl::string_view field) {
  return Invalid(field, " is longer than ", kMaxNameBytes, " bytes");
}

absl::Status WrongOutputCount(absl::string_view field, int64_t outputs, int64_t points) {
  return Invalid(field, " has ", outputs, " elements, but there are ", points,
                 " points; give one for each");
}

absl::Status WrongPointCount(absl::string_view field, int64_t points, int64_t minimum,
                             int64_t maximum) {
  return Invalid(field, " has ", points, " points; allowed are ", minimum, " to ", maximum);
}

absl::Status UnknownQuantity(absl::string_view field, int number) {
  return Invalid(field, ": there is no quantity ", number,
                 "; use QUANTITY_VALUE or "
                 "QUANTITY_DERIVATIVE");
}

}  // namespace activation::server::errors
