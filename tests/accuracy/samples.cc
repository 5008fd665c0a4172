#include "tests/accuracy/samples.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "proto/element_type.h"
#include "tests/support/format.h"

namespace activation::accuracy {
namespace {

using oracle::Decode;
using oracle::Encode;

constexpr int kNeighbours = 4;
// Most places that are bisected for one operation: a sinc changes its sign everywhere.
constexpr size_t kMaxBreakpoints = 64;

uint64_t SignBit(DataType type) { return uint64_t{1} << (TraitsOf(type).bits - 1); }

// Numbers in increasing order have increasing places; -0 is just below +0.
int64_t PlaceOf(DataType type, uint64_t bits) {
  const auto magnitude = static_cast<int64_t>(bits & (SignBit(type) - 1));
  return (bits & SignBit(type)) ? -1 - magnitude : magnitude;
}

uint64_t AtPlace(DataType type, int64_t place) {
  return place < 0 ? SignBit(type) | static_cast<uint64_t>(-1 - place)
                   : static_cast<uint64_t>(place);
}

void AddNeighbours(DataType type, int64_t place, std::vector<uint64_t>& out) {
  const auto infinity = static_cast<int64_t>(Encode(type, std::numeric_limits<double>::infinity()));
  for (int64_t p = place - kNeighbours; p <= place + kNeighbours; ++p) {
    if (p <= infinity && p >= -1 - infinity) out.push_back(AtPlace(type, p));
  }
}

// What kind of result y is, at x.
int KindOf(DataType type, uint64_t bits, double x) {
  const double y = Decode(type, bits);
  const int sign = std::signbit(y) ? 1 : 0;
  if (y == 0) return sign;
  if (std::isinf(y)) return 2 + sign;
  if (y == x) return 4 + sign;
  if (std::fabs(y) == 1) return 6 + sign;
  const ElementType& format = TraitsOf(type);
  if (std::fabs(y) < std::ldexp(1, oracle::LowestSubnormal(format) + format.precision - 1))
    return 8 + sign;
  return 10 + sign;
}

}  // namespace

std::vector<uint64_t> Every16Bit(int step) {
  std::vector<uint64_t> result;
  for (uint64_t bits = 0; bits < 65'536; bits += step) result.push_back(bits);
  return result;
}

std::vector<uint64_t> Binades(DataType type, int binade_step, int random) {
  std::mt19937_64 generator(20'160'627);
  const ElementType& format = TraitsOf(type);
  const uint64_t fractions = uint64_t{1} << (format.precision - 1);
  const uint64_t infinity = Encode(type, std::numeric_limits<double>::infinity());
  std::vector<uint64_t> magnitudes;
  for (uint64_t first = 0; first < infinity; first += binade_step * fractions) {
    for (uint64_t fraction : {uint64_t{0}, uint64_t{1}, fractions - 1}) {
      magnitudes.push_back(first + fraction);
    }
    for (int i = 0; i < random; ++i) magnitudes.push_back(first + generator() % fractions);
  }
  // Subnormals of every size.
  for (uint64_t m = 1; m < fractions; m *= 2) magnitudes.push_back(m + generator() % m);
  for (uint64_t m : {fractions - 1, fractions, infinity - 1, infinity, infinity + 1,
                     infinity + fractions / 2, infinity + fractions - 1}) {
    magnitudes.push_back(m);
  }
  std::vector<uint64_t> result;
  for (uint64_t m : magnitudes) {
    result.push_back(m);
    result.push_back(m | SignBit(type));
  }
  return result;
}

std::vector<uint64_t> Breakpoints(const oracle::Oracle& oracle, const engine::Operation& operation,
                                  const std::vector<uint64_t>& inputs) {
  const DataType type = operation.input_type;
  const int what =
      operation.quantity == engine::Quantity::kValue ? oracle::kValue : oracle::kDerivative;
  const auto kind_at = [&](int64_t place) {
    const double x = Decode(type, AtPlace(type, place));
    const auto bits = oracle.Round(operation.output_type, what, x, operation.function.parameters);
    return bits ? KindOf(operation.output_type, *bits, x) : -1;
  };
  std::vector<int64_t> places;
  for (uint64_t bits : inputs) {
    if (std::isfinite(Decode(type, bits))) places.push_back(PlaceOf(type, bits));
  }
  std::sort(places.begin(), places.end());
  std::vector<int> kinds;
  kinds.reserve(places.size());
  for (const int64_t place : places) kinds.push_back(kind_at(place));
  std::vector<size_t> changes;
  for (size_t i = 1; i < places.size(); ++i) {
    if (kinds[i] != kinds[i - 1]) changes.push_back(i);
  }
  std::vector<uint64_t> result;
  const size_t step = changes.size() / kMaxBreakpoints + 1;
  for (size_t i = 0; i < changes.size(); i += step) {
    int64_t low = places[changes[i] - 1];
    int64_t high = places[changes[i]];
    const int kind = kinds[changes[i] - 1];
    while (high - low > 1) {
      const int64_t middle = low + (high - low) / 2;
      (kind_at(middle) == kind ? low : high) = middle;
    }
    AddNeighbours(type, low, result);
  }
  const std::vector<uint64_t> kinks = NearKinks(oracle, operation.function, type);
  result.insert(result.end(), kinks.begin(), kinks.end());
  return result;
}

std::vector<uint64_t> NearKinks(const oracle::Oracle& oracle, const engine::Function& function,
                                DataType type) {
  std::vector<uint64_t> result;
  for (const double at : oracle.Kinks(function.parameters)) {
    oracle::Dyadic exact;
    arf_set_d(exact.get(), at);
    AddNeighbours(type, PlaceOf(type, oracle::Round(type, exact)), result);
  }
  return result;
}

std::vector<engine::Function> OtherParameters(const engine::Spec& spec) {
  constexpr double kValues[] = {0.5,  2,     3,     1.0 / 3, 0x1.000001p+0, 0.1,  1e-5, 1e-30,
                                1e30, 1e-90, 123.4, 0,       -0.0,          -0.5, -1,   -1e10};
  std::vector<engine::Function> result;
  for (size_t i = 0; i < spec.parameters.size(); ++i) {
    const engine::Parameter& parameter = spec.parameters[i];
    std::vector<double> values = {parameter.minimum, parameter.maximum};
    values.insert(values.end(), std::begin(kValues), std::end(kValues));
    for (const double value : values) {
      if (value < parameter.minimum || value > parameter.maximum) continue;
      if (parameter.nonzero && value == 0) continue;
      engine::Function function = engine::WithDefaults(spec);
      function.parameters[i] = value;
      if (!engine::FindExcess(function)) result.push_back(function);
    }
  }
  return result;
}

std::vector<uint64_t> Upstreams(DataType type, size_t count) {
  std::mt19937_64 generator(1'986);
  const uint64_t ones = SignBit(type) | (SignBit(type) - 1);
  std::vector<uint64_t> specials = Binades(type, 64, 0);
  specials.push_back(Encode(type, 1));
  specials.push_back(Encode(type, -1));
  specials.push_back(Encode(type, 1) + 1);
  specials.push_back(Encode(type, 3));
  std::vector<uint64_t> result;
  for (size_t i = 0; i < count; ++i) {
    switch (i % 4) {
      case 0:
        result.push_back(specials[generator() % specials.size()]);
        break;
      case 1:
        result.push_back(generator() & ones);
        break;
      default:
        // Between 1 and 2, with an odd last bit.
        result.push_back((Encode(type, 1) + generator() % (Encode(type, 2) - Encode(type, 1))) | 1);
    }
  }
  return result;
}

}  // namespace activation::accuracy
