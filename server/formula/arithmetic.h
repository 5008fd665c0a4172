// The arithmetics of the element types, in which a formula is computed operation by operation.
//
// Each is a struct with
//   Value   the C++ type that holds its numbers, each of them exactly
//   Wide    the type in which + - * / and the square root are computed before they are rounded
//   Round   from double, and from Wide, rounded once to nearest, ties to even
// FLOAT32 and FLOAT64 are computed in their own types. Narrower ones are held in floats and
// computed in doubles: with p bits (at most 11) the results of these operations, rounded first to
// 2p + 2 bits or more, as double's 53 are, and then to p, are those that were rounded once.
// What can't be computed so is first rounded to an odd double: to the neighbour whose last bit is
// 1, unless it is exact. Such a double lies on the same side of every number of at most 51 bits as
// the exact result, so that rounding it again to the 24 bits of float32 or fewer is right.
// Subnormals are kept, overflow is infinite.
#ifndef ACTIVATION_SERVER_FORMULA_ARITHMETIC_H_
#define ACTIVATION_SERVER_FORMULA_ARITHMETIC_H_

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "proto/element_type.h"
#include "server/engine/double_pair.h"

namespace activation::formula {

// `nearest` is the double next to a result that lies above it where direction > 0, below where
// direction < 0. Returns the result rounded to odd. Has no branch, for loops over it.
inline double MakeOdd(double nearest, int64_t direction) {
  const auto bits = std::bit_cast<int64_t>(nearest);
  const int64_t step = (bits < 0 ? -direction : direction) * (~bits & 1);
  return std::bit_cast<double>(bits + step);
}

// Rounds to a format with this many fraction bits and this range of exponents.
template <int kFractionBits, int kLeastExponent, int kGreatestExponent>
inline double RoundToFormat(double value) {
  constexpr int kDropped = 52 - kFractionBits;
  constexpr uint64_t kMask = (uint64_t{1} << kDropped) - 1;
  constexpr auto kPower = [](int exponent) {
    return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
  };
  constexpr double kLeastNormal = kPower(kLeastExponent);
  constexpr double kBeyond = kPower(kGreatestExponent + 1);
  // Doubles from here to its double are as far apart as the format's subnormals.
  constexpr double kSpaced = kPower(kLeastExponent + kDropped);
  const double magnitude = std::abs(value);
  const auto bits = std::bit_cast<uint64_t>(magnitude);
  const double normal =
      std::bit_cast<double>((bits + (kMask >> 1) + (bits >> kDropped & 1)) & ~kMask);
  const double small = (magnitude + kSpaced) - kSpaced;
  double rounded = magnitude < kLeastNormal ? small : normal;
  rounded = rounded >= kBeyond ? std::numeric_limits<double>::infinity() : rounded;
  return value != value ? value : std::copysign(rounded, value);
}

struct Float64 {
  using Value = double;
  using Wide = double;
  static constexpr auto kType = DataType::kFloat64;
  static double Round(double value) { return value; }
};

struct Float32 {
  using Value = float;
  using Wide = float;
  static constexpr auto kType = DataType::kFloat32;
  static float Round(float value) { return value; }
  static float Round(double value) { return static_cast<float>(value); }
};

// A type with fewer bits than float32.
template <DataType kElement>
struct Narrow {
  using Value = float;
  using Wide = double;
  static constexpr auto kType = kElement;
  static constexpr ElementType kFormat = TraitsOf(kElement);
  static float Round(double value) {
    return static_cast<float>(
        RoundToFormat<kFormat.precision - 1, kFormat.least_exponent, kFormat.greatest_exponent>(
            value));
  }
};

template <DataType kElement>
using ArithmeticOf = std::conditional_t<
    kElement == DataType::kFloat64, Float64,
    std::conditional_t<kElement == DataType::kFloat32, Float32, Narrow<kElement>>>;

// Calls function(arithmetic) with the one of `type`, which is the i-th or a later one.
template <size_t i = 0, typename Function>
decltype(auto) WithArithmetic(DataType type, Function function) {
  constexpr DataType kElement = kElementTypes[i].type;
  if constexpr (i + 1 < kDataTypeCount) {
    if (type != kElement) return WithArithmetic<i + 1>(type, function);
  }
  return function(ArithmeticOf<kElement>());
}

inline double RoundTo(DataType type, double value) {
  return WithArithmetic(
      type, [value](auto arithmetic) { return static_cast<double>(arithmetic.Round(value)); });
}

// a * b + c, rounded once.
template <typename Arithmetic>
inline typename Arithmetic::Value MultiplyAdd(typename Arithmetic::Value a,
                                              typename Arithmetic::Value b,
                                              typename Arithmetic::Value c) {
  if constexpr (std::is_same_v<Arithmetic, Float64>) {
    return std::fma(a, b, c);
  } else {
    // The product of two floats is exactly a double; what the sum loses is exactly a double, too.
    double sum;
    const double lost = engine::TwoSum(static_cast<double>(a) * b, c, sum);
    return Arithmetic::Round(MakeOdd(sum, int64_t{lost > 0} - int64_t{lost < 0}));
  }
}

// A function's result, rounded once.
template <typename Arithmetic>
inline typename Arithmetic::Value RoundLong(long double value) {
  if constexpr (std::is_same_v<Arithmetic, Float64>) {
    return static_cast<double>(value);
  } else {
    const auto nearest = static_cast<double>(value);
    const bool is_finite = std::abs(nearest) < std::numeric_limits<double>::infinity();
    const int direction = is_finite ? int{value > nearest} - int{value < nearest} : 0;
    return Arithmetic::Round(MakeOdd(nearest, direction));
  }
}

}  // namespace activation::formula

#endif  // ACTIVATION_SERVER_FORMULA_ARITHMETIC_H_
