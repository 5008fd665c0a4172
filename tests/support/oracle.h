// The oracle: what the engine must return, found from a Spec's formula string and from nothing else
// of the engine. It evaluates the formula (and its derivative, by dual numbers) in ball arithmetic
// and raises the precision until every number of the ball rounds to the same bits, so each answer
// is proven. x, parameters and upstream mean exactly the doubles given.
//
// It also states the conventions of server/engine/engine.h: NaN, infinite x (the limit, found far
// out at |x| = 2^2200), f(-0), kinks, and IEEE 754's rules for upstream * f'(x).
#ifndef ACTIVATION_TESTS_SUPPORT_ORACLE_H_
#define ACTIVATION_TESTS_SUPPORT_ORACLE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "proto/element_type.h"
#include "server/engine/engine.h"
#include "server/engine/spec.h"
#include "tests/support/ball.h"
#include "tests/support/formula.h"
#include "tests/support/number_functions.h"

namespace activation::oracle {

// What is asked for: the value, the derivative for x, or the derivative for the i-th parameter.
inline constexpr int kValue = kNoDerivative;
inline constexpr int kDerivative = 0;
constexpr int ParameterDerivative(int i) { return 1 + i; }

class Oracle {
 public:
  // An error if a string of the spec does not parse. The spec must outlive the oracle.
  static absl::StatusOr<Oracle> Make(const engine::Spec& spec);

  // The bits of the correctly rounded result. None if no precision up to kMaxBits decides: a
  // failure of the oracle, which a test must count and report. `upstream` is for derivatives; 1 if
  // absent.
  std::optional<uint64_t> Round(DataType type, int what, double x,
                                std::span<const double> parameters,
                                std::optional<double> upstream = std::nullopt) const;

  // As Round, at the exact x + bias (infinite where it is beyond FLOAT64's range). Where that is
  // not a double, upstream must be finite and not 0.
  std::optional<uint64_t> RoundSum(DataType type, int what, double x, double bias,
                                   std::span<const double> parameters,
                                   std::optional<double> upstream = std::nullopt) const;

  // Whether the result is 0, not merely rounded to it. x must be finite.
  bool IsExactlyZero(int what, double x, std::span<const double> parameters,
                     std::optional<double> upstream) const;

  // A ball around the result that is accurate to `bits` relative bits, or as near to that as
  // kMaxBits of working precision come. x must be finite.
  Ball Enclose(int what, double x, std::span<const double> parameters, double upstream,
               slong bits) const;

  // As Enclose, at the exact x + bias.
  Ball EncloseSum(int what, double x, double bias, std::span<const double> parameters,
                  double upstream, slong bits) const;

  // Where the kinks are, rounded to double.
  std::vector<double> Kinks(std::span<const double> parameters) const;

  const engine::Spec& spec() const { return *spec_; }

  static constexpr slong kMaxBits = slong{1} << 17;

 private:
  struct ParsedKink {
    Formula at;
    Formula derivative;
  };

  explicit Oracle(const engine::Spec& spec) : spec_(&spec) {}

  std::vector<Number> Variables(const Dyadic& x, std::span<const double> parameters,
                                Context c) const;
  // The result at x times upstream, at one precision. x may be of any size.
  Number At(int what, const Dyadic& x, std::span<const double> parameters,
            std::optional<double> upstream, Context c) const;
  std::optional<uint64_t> RoundFinite(DataType type, int what, const Dyadic& x,
                                      std::span<const double> parameters,
                                      std::optional<double> upstream) const;
  // At x = sign * 2^exponent, with what has gone to 0 there taken as 0.
  std::optional<uint64_t> RoundFarOut(DataType type, int what, int sign, slong exponent,
                                      std::span<const double> parameters,
                                      std::optional<double> upstream) const;
  // The limit at x = sign * infinity. A limit 0 has the sign of the side that it is approached
  // from.
  std::optional<uint64_t> RoundLimit(DataType type, int what, int sign,
                                     std::span<const double> parameters,
                                     std::optional<double> upstream) const;

  const engine::Spec* spec_;
  Formula formula_;
  std::vector<ParsedKink> kinks_;
  bool oscillates_ = false;
};

// The bits of x rounded to `type`, if at this precision they are certain.
std::optional<uint64_t> RoundIfCertain(DataType type, const Number& x, Context c);

// |y - f| / ULP(f) for f in the ball, ULP being the spacing of doubles at f; an upper bound.
// Infinity where y is not finite.
double UlpError(double y, const Ball& f);

}  // namespace activation::oracle

#endif  // ACTIVATION_TESTS_SUPPORT_ORACLE_H_
