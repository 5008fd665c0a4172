// Look-up tables as approximations: pieces between knots, in float64 or in fixed point.
//
// What a table means, and the order of its operations, stand at v1.Table. Bits are the same on
// every machine.
#ifndef ACTIVATION_SERVER_COMPARE_TABLE_H_
#define ACTIVATION_SERVER_COMPARE_TABLE_H_

#include <absl/status/statusor.h>
#include <absl/strings/string_view.h>

#include <cstddef>
#include <utility>
#include <variant>

#include "activation/v1/activation.pb.h"
#include "proto/element_type.h"
#include "server/compare/fixed_point.h"
#include "server/compare/piecewise.h"
#include "server/engine/engine.h"

namespace activation::server {

// Can't fail. Thread-safe.
class TableKernel {
 public:
  // y[i] = table(x[i]), rounded once to io_type, for i < count; both are packed arrays of it, at
  // any alignment. y may be x. NaN is quiet, with sign and payload clear.
  void Run(DataType io_type, const std::byte* x, std::byte* y, size_t count) const;

 private:
  using Form = std::variant<Piecewise<Float64>, Piecewise<FixedPoint>>;
  explicit TableKernel(Form form) : form_(std::move(form)) {}
  friend absl::StatusOr<TableKernel> MakeTable(absl::string_view field, const v1::Table& table,
                                               engine::Quantity quantity);

  Form form_;
};

// The table, or its derivative. INVALID_ARGUMENT names the part of `field` that breaks a rule of
// v1.Table; a derivative in fixed point is UNIMPLEMENTED.
absl::StatusOr<TableKernel> MakeTable(absl::string_view field, const v1::Table& table,
                                      engine::Quantity quantity);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_COMPARE_TABLE_H_
