// The sentences about comparisons that a client can read: see errors.h.
#ifndef ACTIVATION_SERVER_COMPARE_ERRORS_H_
#define ACTIVATION_SERVER_COMPARE_ERRORS_H_

#include <absl/status/status.h>
#include <absl/strings/string_view.h>

#include <cstdint>

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
absl::Status NoValueBetween(absl::string_view field, engine::DataType type);
absl::Status TooManyValues(absl::string_view field, engine::DataType type, int64_t maximum);
absl::Status OutOfRange(absl::string_view field, int64_t value, int64_t minimum, int64_t maximum);
absl::Status MissingForm(absl::string_view field);
absl::Status LabelTooLong(absl::string_view field);
absl::Status WrongOutputCount(absl::string_view field, int64_t outputs, int64_t points);
absl::Status WrongPointCount(absl::string_view field, int64_t points, int64_t minimum,
                             int64_t maximum);
absl::Status UnknownQuantity(absl::string_view field, int number);

}  // namespace activation::server::errors

#endif  // ACTIVATION_SERVER_COMPARE_ERRORS_H_
