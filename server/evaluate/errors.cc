#include "server/evaluate/errors.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <string>

#include "proto/element_type.h"
#include "server/evaluate/error_text.h"
#include "server/wire/limits.h"

namespace activation::server::errors {
namespace {

// "FLOAT32, FLOAT64, FLOAT16 and BFLOAT16".
std::string AllDataTypes() {
  std::string all;
  for (const ElementType& type : kElementTypes) {
    const bool is_last = &type == &kElementTypes.back();
    absl::StrAppend(&all, all.empty() ? "" : is_last ? " and " : ", ", type.contract_name);
  }
  return all;
}

}  // namespace

std::string ParameterPath(absl::string_view activation, absl::string_view map,
                          absl::string_view parameter) {
  return absl::StrCat(activation, ".", map, "[", Echo(parameter), "]");
}

absl::Status MalformedRequest() {
  return Invalid("the request is not a message of this RPC's type: its bytes can't be parsed");
}

absl::Status EmptyBatch(absl::string_view field) {
  return Invalid(field, " is empty; give at least one item");
}

absl::Status TooManyItems(absl::string_view field, int64_t limit) {
  return Invalid(field, " has more than ", limit, " items, which is the limit");
}

absl::Status MissingField(absl::string_view field) { return Invalid(field, " is required"); }

absl::Status ReplyTooLarge(int64_t bytes, int64_t limit) {
  return Invalid("the reply would have ", bytes, " bytes, but the limit is ", limit,
                 ": ask for fewer elements, or use the streaming RPC with smaller chunks");
}

absl::Status UnknownActivation(absl::string_view field, absl::string_view name,
                               std::span<const absl::string_view> near) {
  const std::string hint =
      near.empty() ? "" : absl::StrCat(" Near names: ", absl::StrJoin(near, ", "), ".");
  return Make(absl::StatusCode::kNotFound,
              absl::StrCat(field, ": there is no activation ", Echo(name), ".", hint,
                           " ListActivations gives them all"));
}

absl::Status TooManyParameters(absl::string_view field) {
  return Invalid(field, " has more than ", kMaxRequestParameters, " entries, which is the limit");
}

absl::Status UnknownParameter(absl::string_view field, absl::string_view activation,
                              std::span<const engine::Parameter> known) {
  if (known.empty()) return Invalid(field, ": ", activation, " has no parameters");
  const auto append_name = [](std::string* out, const engine::Parameter& parameter) {
    absl::StrAppend(out, parameter.name);
  };
  return Invalid(field, ": ", activation, " has no such parameter; it has ",
                 absl::StrJoin(known, ", ", append_name));
}

absl::Status ParameterGivenTwice(absl::string_view field) {
  return Invalid(field, " stands in parameters, too; give either a number or a tensor");
}

absl::Status ParameterOutOfRange(absl::string_view field, double value,
                                 const engine::Parameter& parameter) {
  return Invalid(field, " is ", Number(value), "; allowed is a finite number from ",
                 Number(parameter.minimum), " to ", Number(parameter.maximum),
                 parameter.nonzero ? " other than 0" : "");
}

absl::Status ParameterAboveAnother(absl::string_view field, double value,
                                   absl::string_view other_name, double other) {
  return Invalid(field, " is ", Number(value), "; allowed is at most ", other_name, ", which is ",
                 Number(other));
}

absl::Status MissingDataType(absl::string_view field) {
  return Invalid(field, ".data_type is required; it is one of ", AllDataTypes());
}

absl::Status UnsupportedDataType(absl::string_view field, int number) {
  return Invalid(field, ": there is no data type ", number, "; supported are ", AllDataTypes(),
                 " (integers are not: convert them to one of these)");
}

absl::Status TwoEncodings(absl::string_view field) {
  return Invalid(field, ": give elements in only one of data, float_values and double_values");
}

absl::Status WrongValues(absl::string_view field, DataType type) {
  const bool is_float64 = type == DataType::kFloat64;
  return Invalid(field, is_float64 ? ".float_values" : ".double_values", " do not go with ",
                 ContractNameOf(type), "; use ", is_float64 ? "double_values" : "float_values",
                 " or data");
}

absl::Status RankTooHigh(absl::string_view field, int64_t rank) {
  return Invalid(field, ".shape has ", rank, " extents; at most ", kMaxRank, " are allowed");
}

absl::Status NegativeExtent(absl::string_view field, int index, int64_t extent) {
  return Invalid(field, ".shape[", index, "] is ", extent, "; an extent is 0 or more");
}

absl::Status ShapeOverflow(absl::string_view field) {
  return Invalid(field, ".shape: its extents' product is beyond 2^63 - 1");
}

absl::Status PartialElement(absl::string_view field, uint64_t bytes, DataType type) {
  return Invalid(field, ".data has ", bytes, " bytes, which is not a multiple of ", SizeOf(type),
                 ", the size of a ", ContractNameOf(type));
}

absl::Status WrongByteCount(absl::string_view field, uint64_t bytes, int64_t elements,
                            DataType type) {
  return Invalid(field, ".data has ", bytes, " bytes, but its shape has ", elements,
                 " elements of ", SizeOf(type), " bytes each (", ContractNameOf(type), ")");
}

absl::Status WrongValueCount(absl::string_view field, uint64_t values, int64_t elements) {
  return Invalid(field, " has ", values, " values, but its shape has ", elements, " elements");
}

absl::Status TypeMismatch(absl::string_view field, DataType type, absl::string_view other,
                          DataType other_type) {
  return Invalid(field, ".data_type is ", ContractNameOf(type), ", but ", other, " is ",
                 ContractNameOf(other_type), "; they have to be the same");
}

absl::Status UpstreamCountMismatch(absl::string_view field, int64_t elements,
                                   absl::string_view other, int64_t other_elements) {
  return Invalid(field, " has ", elements, " elements, but ", other, " has ", other_elements,
                 "; they have to be as many");
}

absl::Status AxisOfElementwise(absl::string_view field, absl::string_view activation) {
  return Invalid(field, ": ", activation, " is elementwise and has no axis; leave it out");
}

absl::Status AxisOutOfRange(absl::string_view field, int64_t axis, int axes) {
  return Invalid(field, " is ", axis, "; the input has ", axes, axes == 1 ? " axis" : " axes",
                 ", so allowed are ", -axes, " to ", axes - 1);
}

absl::Status NotAVector(absl::string_view field, int64_t rank) {
  return Invalid(
      field, ".shape has ", rank,
      " extents; one value for each index of an axis is a flat vector, with at most one");
}

absl::Status WrongLength(absl::string_view field, int64_t values, int axis, int64_t extent) {
  return Invalid(field, " has ", values, " values, but axis ", axis, " of the input has extent ",
                 extent, "; they have to be as many");
}

absl::Status BiasOfRowFunction(absl::string_view field, absl::string_view activation) {
  return Invalid(field, ": ", activation, " is a row function, which takes no bias");
}

absl::Status OddExtent(absl::string_view field, int axis, int64_t extent,
                       absl::string_view activation) {
  return Invalid(field, ": axis ", axis, " has extent ", extent, ", but ", activation,
                 " halves it; it has to be even");
}

absl::Status MissingUpstream(absl::string_view field, absl::string_view activation) {
  return Invalid(field, " is required: ", activation,
                 " is a row function, whose gradient is a product with upstream");
}

absl::Status BadFormula(absl::string_view field, absl::string_view what) {
  return Invalid(field, ".", what);
}

absl::Status TooManyFormulas(absl::string_view field, uint64_t limit) {
  return Invalid(field, " has formulas of more than ", limit,
                 " bytes in all, which is the limit; send them in several batches");
}

absl::Status NameAndFormula(absl::string_view field) {
  return Invalid(field, " has both name and formula; give one of them");
}

absl::Status TensorOfFormula(absl::string_view field) {
  return Invalid(field,
                 ": a formula takes parameters that are numbers only; give it in parameters");
}

absl::Status BiasOfFormula(absl::string_view field) {
  return Invalid(field, ": a formula takes no bias; leave it out, and add it to the input");
}

absl::Status ParameterGradientsOfFormula(absl::string_view field) {
  return Make(absl::StatusCode::kUnimplemented,
              absl::StrCat(field, ": a formula has no parameter gradients; leave it out"));
}

absl::Status Cancelled() { return absl::CancelledError("the call was cancelled"); }

absl::Status OutOfMemory() {
  return absl::ResourceExhaustedError(
      "the server has no memory for this call at the moment; retry later or send less at once");
}

absl::Status Busy(uint64_t bytes, int64_t pending, int64_t limit) {
  return absl::ResourceExhaustedError(absl::StrCat(
      "the server is busy: ", pending, " bytes of requests are waiting or in work, this one has ",
      bytes, ", and the limit is ", limit, "; retry later"));
}

}  // namespace activation::server::errors
