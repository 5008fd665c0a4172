// The sentences about comparisons, tables and presets that a client can read: see
// server/evaluate/errors.h.
#ifndef ACTIVATION_SERVER_COMPARE_ERRORS_H_
#define ACTIVATION_SERVER_COMPARE_ERRORS_H_

#include <absl/status/status.h>
#include <absl/strings/string_view.h>
#include <google/protobuf/descriptor.h>

#include <cstdint>
#include <span>

#include "proto/element_type.h"
#include "server/engine/engine.h"

namespace activation::server::errors {

absl::Status NoCandidates(absl::string_view field, const engine::Spec& reference);
absl::Status MissingDomain(absl::string_view field);
absl::Status NotFinite(absl::string_view field, double value);
absl::Status IsNan(absl::string_view field);
absl::Status NotPositive(absl::string_view field, double value);
absl::Status NotAscending(absl::string_view field, double value, double before);
// `field` has `from` and `to`.
absl::Status RangeReversed(absl::string_view field, double from, double to);
absl::Status NoValueBetween(absl::string_view field, DataType type);
absl::Status TooManyValues(absl::string_view field, DataType type, int64_t maximum);
absl::Status OutOfRange(absl::string_view field, int64_t value, int64_t minimum, int64_t maximum);
absl::Status MissingForm(absl::string_view field);
absl::Status LabelTooLong(absl::string_view field);
absl::Status WrongOutputCount(absl::string_view field, int64_t outputs, int64_t points);
absl::Status WrongPointCount(absl::string_view field, int64_t points, int64_t minimum,
                             int64_t maximum);
absl::Status UnknownQuantity(absl::string_view field, int number);

// What can be evaluated, but not compared.
absl::Status RowFunctionCompared(absl::string_view field, absl::string_view activation);
absl::Status TensorCompared(absl::string_view field);
absl::Status FormulaCompared(absl::string_view field);

// Tables.

absl::Status WrongItemCount(absl::string_view field, int64_t count, int64_t minimum,
                            int64_t maximum);
// `rule` as "one for each knot".
absl::Status WrongItemsForKnots(absl::string_view field, int64_t count, int64_t right,
                                absl::string_view rule);
// `table` is the path of the message.
absl::Status ValuesOrPieces(absl::string_view table, bool both);
absl::Status KnotNotAbove(absl::string_view field, double value, double before);
absl::Status KnotNotAboveInFixedPoint(absl::string_view field, double value, double before,
                                      double spacing, double highest);
absl::Status TooSteep(absl::string_view field);
absl::Status DerivativeTooLarge(absl::string_view field, double coefficient);
absl::Status DerivativeOfFixedPoint(absl::string_view field);
// A number that is none of the enum's.
absl::Status UnknownNumber(absl::string_view field, int number,
                           const google::protobuf::EnumDescriptor& known);

absl::Status WrongBits(absl::string_view field, int bits, int maximum);
absl::Status WrongBitsInAll(absl::string_view field, int bits, int maximum);

// `near` are names that the client may have meant.
absl::Status UnknownPreset(absl::string_view field, absl::string_view name,
                           std::span<const absl::string_view> near);
absl::Status NotWhole(absl::string_view field, double value);
absl::Status NotBelow(absl::string_view field, double value, absl::string_view other_name,
                      double other);
// Where a preset needs the reference's value and there is none.
absl::Status ReferenceNotFinite(absl::string_view field, absl::string_view reference, double x);

}  // namespace activation::server::errors

#endif  // ACTIVATION_SERVER_COMPARE_ERRORS_H_
