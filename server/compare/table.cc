#include "server/compare/table.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "proto/element_type.h"
#include "server/compare/errors.h"
#include "server/engine/packed.h"
#include "server/wire/limits.h"

namespace activation::server {
namespace {

constexpr size_t kBlock = 256;

using Doubles = google::protobuf::RepeatedField<double>;

std::string Item(absl::string_view field, absl::string_view list, int index) {
  return absl::StrCat(field, ".", list, "[", index, "]");
}

absl::Status CheckFinite(absl::string_view field, absl::string_view list, const Doubles& numbers) {
  const auto wrong = std::ranges::find_if_not(numbers, [](double v) { return std::isfinite(v); });
  if (wrong == numbers.end()) return absl::OkStatus();
  return errors::NotFinite(Item(field, list, static_cast<int>(wrong - numbers.begin())), *wrong);
}

absl::Status CheckKnots(absl::string_view field, const Doubles& knots) {
  if (knots.size() < 2 || knots.size() > kMaxKnots) {
    return errors::WrongItemCount(absl::StrCat(field, ".knots"), knots.size(), 2, kMaxKnots);
  }
  absl::Status finite = CheckFinite(field, "knots", knots);
  if (!finite.ok()) return finite;
  for (int i = 1; i < knots.size(); ++i) {
    if (knots[i] > knots[i - 1]) continue;
    return errors::KnotNotAbove(Item(field, "knots", i), knots[i], knots[i - 1]);
  }
  return absl::OkStatus();
}

absl::Status CheckPiece(absl::string_view path, const Doubles& coefficients,
                        engine::Quantity quantity) {
  if (coefficients.empty() || coefficients.size() > kMaxCoefficients) {
    return errors::WrongItemCount(absl::StrCat(path, ".coefficients"), coefficients.size(), 1,
                                  kMaxCoefficients);
  }
  absl::Status finite = CheckFinite(path, "coefficients", coefficients);
  if (!finite.ok()) return finite;
  for (int i = 0; quantity == engine::Quantity::kDerivative && i < coefficients.size(); ++i) {
    if (std::isfinite(i * coefficients[i])) continue;
    return errors::DerivativeTooLarge(Item(path, "coefficients", i), coefficients[i]);
  }
  return absl::OkStatus();
}

absl::Status CheckValues(absl::string_view field, const v1::Table& table) {
  if (table.values_size() != table.knots_size()) {
    return errors::WrongItemsForKnots(absl::StrCat(field, ".values"), table.values_size(),
                                      table.knots_size(), "one for each knot");
  }
  absl::Status finite = CheckFinite(field, "values", table.values());
  if (!finite.ok() || table.has_fixed_point()) return finite;
  for (int i = 1; i < table.values_size(); ++i) {
    const double slope =
        Float64::Slope(table.knots(i - 1), table.knots(i), table.values(i - 1), table.values(i));
    if (!std::isfinite(slope)) return errors::TooSteep(Item(field, "values", i));
  }
  return absl::OkStatus();
}

absl::Status CheckPieces(absl::string_view field, const v1::Table& table,
                         engine::Quantity quantity) {
  if (table.pieces_size() != table.knots_size() - 1) {
    return errors::WrongItemsForKnots(absl::StrCat(field, ".pieces"), table.pieces_size(),
                                      table.knots_size() - 1, "one less than knots");
  }
  for (int i = 0; i < table.pieces_size(); ++i) {
    absl::Status piece =
        CheckPiece(Item(field, "pieces", i), table.pieces(i).coefficients(), quantity);
    if (!piece.ok()) return piece;
  }
  return absl::OkStatus();
}

absl::Status Check(absl::string_view field, const v1::Table& table, engine::Quantity quantity) {
  absl::Status knots = CheckKnots(field, table.knots());
  if (!knots.ok()) return knots;
  if (table.values().empty() == table.pieces().empty()) {
    return errors::ValuesOrPieces(field, !table.values().empty());
  }
  if (!v1::Table::Outside_IsValid(table.outside())) {
    return errors::UnknownNumber(absl::StrCat(field, ".outside"), table.outside(),
                                 *v1::Table::Outside_descriptor());
  }
  if (table.has_fixed_point() && quantity == engine::Quantity::kDerivative) {
    return errors::DerivativeOfFixedPoint(absl::StrCat(field, ".fixed_point"));
  }
  return table.pieces().empty() ? CheckValues(field, table) : CheckPieces(field, table, quantity);
}

template <typename Arithmetic>
std::vector<typename Arithmetic::Number> Quantize(const Arithmetic& arithmetic,
                                                  const Doubles& constants) {
  std::vector<typename Arithmetic::Number> numbers;
  numbers.reserve(static_cast<size_t>(constants.size()));
  for (const double constant : constants) numbers.push_back(arithmetic.QuantizeConstant(constant));
  return numbers;
}

template <typename Arithmetic>
Piecewise<Arithmetic> MakeLinear(const Arithmetic& arithmetic, const v1::Table& table) {
  using Number = typename Arithmetic::Number;
  const std::vector<Number> knots = Quantize(arithmetic, table.knots());
  const std::vector<Number> values = Quantize(arithmetic, table.values());
  const size_t last = knots.size() - 1;
  const bool holds = table.outside() == v1::Table::OUTSIDE_HOLD;
  Piecewise<Arithmetic> pieces(arithmetic, knots);
  const auto append_outside = [&](size_t knot, Number slope) {
    pieces.Append(knots[knot], std::array<Number, 2>{values[knot], holds ? Number{0} : slope});
  };
  for (size_t i = 0; i < last; ++i) {
    const Number slope = arithmetic.Slope(knots[i], knots[i + 1], values[i], values[i + 1]);
    if (i == 0) append_outside(0, slope);
    pieces.Append(knots[i], std::array<Number, 2>{values[i], slope});
    if (i + 1 == last) append_outside(last, slope);
  }
  return pieces;
}

template <typename Arithmetic>
Piecewise<Arithmetic> MakePolynomial(const Arithmetic& arithmetic, const v1::Table& table) {
  using Number = typename Arithmetic::Number;
  const std::vector<Number> knots = Quantize(arithmetic, table.knots());
  const bool holds = table.outside() == v1::Table::OUTSIDE_HOLD;
  Piecewise<Arithmetic> pieces(arithmetic, knots);
  const auto append_outside = [&](size_t piece, Number knot) {
    const auto coefficients =
        Quantize(arithmetic, table.pieces(static_cast<int>(piece)).coefficients());
    if (!holds) return pieces.Append(knots[piece], coefficients);
    pieces.Append(knot, std::array<Number, 1>{Evaluate<Arithmetic>(
                            arithmetic, coefficients, arithmetic.Subtract(knot, knots[piece]))});
  };
  append_outside(0, knots.front());
  for (size_t i = 0; i + 1 < knots.size(); ++i) {
    pieces.Append(knots[i], Quantize(arithmetic, table.pieces(static_cast<int>(i)).coefficients()));
  }
  append_outside(knots.size() - 2, knots.back());
  return pieces;
}

template <typename Arithmetic>
Piecewise<Arithmetic> MakePieces(const Arithmetic& arithmetic, const v1::Table& table) {
  return table.pieces().empty() ? MakeLinear(arithmetic, table) : MakePolynomial(arithmetic, table);
}

absl::StatusOr<FixedPoint> MakeFixedPoint(absl::string_view field, const v1::Table& table) {
  auto format = FixedPoint::Make(absl::StrCat(field, ".fixed_point"), table.fixed_point());
  if (!format.ok()) return format;
  const std::vector<FixedPoint::Number> knots = Quantize(*format, table.knots());
  for (size_t i = 1; i < knots.size(); ++i) {
    if (knots[i] > knots[i - 1]) continue;
    const int index = static_cast<int>(i);
    return errors::KnotNotAboveInFixedPoint(
        Item(field, "knots", index), table.knots(index), table.knots(index - 1),
        format->ToDouble(1),
        format->ToDouble(format->QuantizeConstant(std::numeric_limits<double>::infinity())));
  }
  return format;
}

double ResultOf(const Piecewise<Float64>& pieces, double x) {
  return std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : pieces.At(x);
}

double ResultOf(const Piecewise<FixedPoint>& pieces, double x) {
  const FixedPoint& format = pieces.arithmetic();
  return format.ToDouble(pieces.At(format.Quantize(x)));
}

}  // namespace

void TableKernel::Run(DataType io_type, const std::byte* x, std::byte* y, size_t count) const {
  const size_t size = SizeOf(io_type);
  std::array<double, kBlock> block;
  for (size_t begin = 0; begin < count; begin += kBlock) {
    const size_t some = std::min(kBlock, count - begin);
    Decode(io_type, x + begin * size, some, block.data());
    std::visit(
        [&](const auto& pieces) {
          for (size_t i = 0; i < some; ++i) block[i] = ResultOf(pieces, block[i]);
        },
        form_);
    Encode(io_type, block.data(), some, y + begin * size);
  }
}

absl::StatusOr<TableKernel> MakeTable(absl::string_view field, const v1::Table& table,
                                      engine::Quantity quantity) {
  const absl::Status checked = Check(field, table, quantity);
  if (!checked.ok()) return checked;
  if (table.has_fixed_point()) {
    const auto format = MakeFixedPoint(field, table);
    if (!format.ok()) return format.status();
    return TableKernel(MakePieces(*format, table));
  }
  Piecewise<Float64> pieces = MakePieces(Float64(), table);
  return TableKernel(quantity == engine::Quantity::kValue ? pieces : pieces.Derivative());
}

}  // namespace activation::server
