// Every sentence that a client can read when a call fails, but those about comparisons
// (server/compare/errors.h) and about what is wrong inside a formula (server/formula/).
//
// A message begins with the field at fault, as `evaluations[3].activation.parameters["alpha"]`, and
// says what would be right. Text that came from the client is cut and escaped before it stands in a
// message; a message is at most kMaxStatusMessageBytes long.
#ifndef ACTIVATION_SERVER_EVALUATE_ERRORS_H_
#define ACTIVATION_SERVER_EVALUATE_ERRORS_H_

#include <absl/status/status.h>
#include <absl/strings/string_view.h>

#include <cstdint>
#include <span>
#include <string>

#include "proto/element_type.h"
#include "server/engine/engine.h"

namespace activation::server::errors {

// The path of one of an activation's parameters, as `reference.parameters["alpha"]`; `map` is the
// field that holds it.
std::string ParameterPath(absl::string_view activation, absl::string_view map,
                          absl::string_view parameter);

// The request as a whole.
absl::Status MalformedRequest();
absl::Status EmptyBatch(absl::string_view field);
absl::Status TooManyItems(absl::string_view field, int64_t limit);
absl::Status MissingField(absl::string_view field);
absl::Status ReplyTooLarge(int64_t bytes, int64_t limit);

// Activations. `near` are names that the client may have meant.
absl::Status UnknownActivation(absl::string_view field, absl::string_view name,
                               std::span<const absl::string_view> near);
absl::Status TooManyParameters(absl::string_view field);
absl::Status UnknownParameter(absl::string_view field, absl::string_view activation,
                              std::span<const engine::Parameter> known);
absl::Status ParameterGivenTwice(absl::string_view field);
absl::Status ParameterOutOfRange(absl::string_view field, double value,
                                 const engine::Parameter& parameter);
absl::Status ParameterAboveAnother(absl::string_view field, double value,
                                   absl::string_view other_name, double other);

// Tensors; `field` is the tensor's path.
absl::Status MissingDataType(absl::string_view field);
absl::Status UnsupportedDataType(absl::string_view field, int number);
absl::Status TwoEncodings(absl::string_view field);
absl::Status WrongValues(absl::string_view field, DataType type);
absl::Status RankTooHigh(absl::string_view field, int64_t rank);
absl::Status NegativeExtent(absl::string_view field, int index, int64_t extent);
absl::Status ShapeOverflow(absl::string_view field);
absl::Status PartialElement(absl::string_view field, uint64_t bytes, DataType type);
absl::Status WrongByteCount(absl::string_view field, uint64_t bytes, int64_t elements,
                            DataType type);
absl::Status WrongValueCount(absl::string_view field, uint64_t values, int64_t elements);
absl::Status TypeMismatch(absl::string_view field, DataType type, absl::string_view other,
                          DataType other_type);
// `other` is what it has to go with.
absl::Status UpstreamCountMismatch(absl::string_view field, int64_t elements,
                                   absl::string_view other, int64_t other_elements);

// Axes, and what goes along them; `field` is the path of the axis or of the values.
absl::Status AxisOfElementwise(absl::string_view field, absl::string_view activation);
absl::Status AxisOutOfRange(absl::string_view field, int64_t axis, int axes);
absl::Status NotAVector(absl::string_view field, int64_t rank);
absl::Status WrongLength(absl::string_view field, int64_t values, int axis, int64_t extent);

// Row functions.
absl::Status BiasOfRowFunction(absl::string_view field, absl::string_view activation);
absl::Status OddExtent(absl::string_view field, int axis, int64_t extent,
                       absl::string_view activation);
absl::Status MissingUpstream(absl::string_view field, absl::string_view activation);

// Formulas in place of names. `what` begins with a field below `field`.
absl::Status BadFormula(absl::string_view field, absl::string_view what);
absl::Status TooManyFormulas(absl::string_view field, uint64_t limit);
absl::Status NameAndFormula(absl::string_view field);
absl::Status TensorOfFormula(absl::string_view field);
absl::Status BiasOfFormula(absl::string_view field);
absl::Status ParameterGradientsOfFormula(absl::string_view field);

// What is not the request's fault.
absl::Status Cancelled();
absl::Status OutOfMemory();
absl::Status Busy(uint64_t bytes, int64_t pending, int64_t limit);

}  // namespace activation::server::errors

#endif  // ACTIVATION_SERVER_EVALUATE_ERRORS_H_
