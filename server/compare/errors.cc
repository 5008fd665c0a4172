#include "server/compare/errors.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <string>
#include <vector>

#include "proto/element_type.h"
#include "server/evaluate/error_text.h"
#include "server/evaluate/errors.h"
#include "server/wire/limits.h"

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

absl::Status NoValueBetween(absl::string_view field, DataType type) {
  return Invalid(field, ": there is no ", ContractNameOf(type), " value from `from` to `to`");
}

absl::Status TooManyValues(absl::string_view field, DataType type, int64_t maximum) {
  return Invalid(field, " has more than ", maximum, " ", ContractNameOf(type),
                 " values, which are allowed; narrow it by from and to",
                 type == DataType::kFloat32
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

absl::Status RowFunctionCompared(absl::string_view field, absl::string_view activation) {
  return Make(absl::StatusCode::kUnimplemented,
              absl::StrCat(field, ": ", activation,
                           " is a row function; only elementwise activations can be compared"));
}

absl::Status TensorCompared(absl::string_view field) {
  return Make(absl::StatusCode::kUnimplemented,
              absl::StrCat(field, ": a comparison takes parameters that are numbers only"));
}

absl::Status FormulaCompared(absl::string_view field) {
  return Make(absl::StatusCode::kUnimplemented,
              absl::StrCat(field, ": a comparison takes formulas as approximations only"));
}

absl::Status WrongItemCount(absl::string_view field, int64_t count, int64_t minimum,
                            int64_t maximum) {
  return Invalid(field, " has ", count, count == 1 ? " item" : " items", "; allowed are ", minimum,
                 " to ", maximum);
}

absl::Status WrongItemsForKnots(absl::string_view field, int64_t count, int64_t right,
                                absl::string_view rule) {
  return Invalid(field, " has ", count, count == 1 ? " item" : " items", "; it has to have ", right,
                 ", ", rule);
}

absl::Status ValuesOrPieces(absl::string_view table, bool both) {
  if (both) return Invalid(table, " has values and pieces; give only one of them");
  return Invalid(table, " has neither values nor pieces; give one of them");
}

absl::Status KnotNotAbove(absl::string_view field, double value, double before) {
  return Invalid(field, " is ", Number(value), ", but the knot before it is ", Number(before),
                 "; knots have to ascend");
}

absl::Status KnotNotAboveInFixedPoint(absl::string_view field, double value, double before,
                                      double spacing, double highest) {
  return Invalid(field, " is ", Number(value), ", which in fixed point is the same number as ",
                 Number(before), ", the knot before it; numbers there are ", Number(spacing),
                 " apart, the highest is ", Number(highest));
}

absl::Status TooSteep(absl::string_view field) {
  return Invalid(field, ": the slope from the value before it to this one is beyond float64");
}

absl::Status DerivativeTooLarge(absl::string_view field, double coefficient) {
  return Invalid(field, " is ", Number(coefficient),
                 "; the derivative's coefficient, a multiple of it, is beyond float64");
}

absl::Status DerivativeOfFixedPoint(absl::string_view field) {
  return Make(absl::StatusCode::kUnimplemented,
              absl::StrCat(field,
                           ": a table in fixed point has no derivative; compare its values, or "
                           "leave fixed_point out"));
}

absl::Status UnknownNumber(absl::string_view field, int number,
                           const google::protobuf::EnumDescriptor& known) {
  std::vector<std::string> names;
  names.reserve(static_cast<size_t>(known.value_count()));
  for (int i = 0; i < known.value_count(); ++i) names.push_back(known.value(i)->name());
  return Invalid(field, " is ", number, ", which has no meaning; use ",
                 absl::StrJoin(names, " or "));
}

absl::Status WrongBits(absl::string_view field, int bits, int maximum) {
  return Invalid(field, " is ", bits, "; allowed are 0 to ", maximum);
}

absl::Status WrongBitsInAll(absl::string_view field, int bits, int maximum) {
  return Invalid(field, " has ", bits, " integer and fraction bits; allowed are 1 to ", maximum,
                 " of both together");
}

absl::Status UnknownPreset(absl::string_view field, absl::string_view name,
                           std::span<const absl::string_view> near) {
  const std::string hint =
      near.empty() ? "" : absl::StrCat(" Near names: ", absl::StrJoin(near, ", "), ".");
  return Make(absl::StatusCode::kNotFound,
              absl::StrCat(field, ": there is no preset ", Echo(name), ".", hint,
                           " ListActivations gives them all"));
}

absl::Status NotWhole(absl::string_view field, double value) {
  return Invalid(field, " is ", Number(value), "; it has to be a whole number");
}

absl::Status NotBelow(absl::string_view field, double value, absl::string_view other_name,
                      double other) {
  return Invalid(field, " is ", Number(value), "; it has to be below ", other_name, ", which is ",
                 Number(other));
}

absl::Status ReferenceNotFinite(absl::string_view field, absl::string_view reference, double x) {
  return Invalid(field, ": ", reference, " has no finite value at ", Number(x),
                 ", where this preset needs one; choose other bounds");
}

}  // namespace activation::server::errors
