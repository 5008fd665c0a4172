#include "tests/accuracy/exhaustive/inputs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "proto/element_type.h"
#include "tests/accuracy/samples.h"
#include "tests/support/format.h"

namespace activation::accuracy {
namespace {

// Magnitudes of ordinary numbers: 2^-20 to 2^20.
constexpr double kOrdinaryExponent = 20;
// Ranges whose ends differ by less are sampled uniformly.
constexpr double kNarrowRange = 1000;
// Activations change between 2^-10 and 2^8 times their scale.
constexpr double kLowestScaledExponent = -10;
constexpr double kHighestScaledExponent = 8;
// Neighbours are at most 2^16 (float32) or 2^48 (float64) places away.
constexpr double kNeighbourExponent32 = 16;
constexpr double kNeighbourExponent64 = 48;

double Uniform(Generator& generator, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(generator);
}

double RandomSign(Generator& generator) { return (generator() & 1) != 0 ? -1 : 1; }

uint64_t SignBit(DataType type) { return uint64_t{1} << (TraitsOf(type).bits - 1); }

// A distance of any size up to 2^exponent, in either direction.
int64_t RandomDistance(Generator& generator, double exponent) {
  return static_cast<int64_t>(RandomSign(generator) * std::exp2(Uniform(generator, -1, exponent)));
}

bool IsAllowed(const engine::Parameter& parameter, double value) {
  return value >= parameter.minimum && value <= parameter.maximum &&
         !(parameter.nonzero && value == 0);
}

double RandomParameter(const engine::Parameter& parameter, Generator& generator) {
  const double low = parameter.minimum, high = parameter.maximum;
  switch (generator() % 32) {
    case 0:
      return low;
    case 1:
      return high;
    case 2:
      return parameter.default_value;
    default:
      break;
  }
  const bool ordinary = (generator() & 1) != 0;
  for (;;) {
    double value;
    if (high - low < kNarrowRange && !(low > 0 && high / low >= kNarrowRange)) {
      value = Uniform(generator, low, high);
    } else {
      const double largest = std::max(std::fabs(low), std::fabs(high));
      const double smallest = low > 0 ? low : high < 0 ? -high : std::numeric_limits<double>::min();
      const double top = std::log2(largest), bottom = std::log2(smallest);
      const bool narrowed = ordinary && top > -kOrdinaryExponent && bottom < kOrdinaryExponent;
      const double exponent = narrowed ? Uniform(generator, std::max(bottom, -kOrdinaryExponent),
                                                 std::min(top, kOrdinaryExponent))
                                       : Uniform(generator, bottom, top);
      // exp2 leaves few significant bits where the exponent is large.
      value = RandomSign(generator) * std::exp2(exponent) * Uniform(generator, 1, 1.001);
    }
    if (IsAllowed(parameter, value)) return value;
  }
}

}  // namespace

int64_t PlaceOf(DataType type, uint64_t bits) {
  const auto magnitude = static_cast<int64_t>(bits & (SignBit(type) - 1));
  return (bits & SignBit(type)) != 0 ? -1 - magnitude : magnitude;
}

uint64_t AtPlace(DataType type, int64_t place) {
  return place < 0 ? SignBit(type) | static_cast<uint64_t>(-1 - place)
                   : static_cast<uint64_t>(place);
}

std::vector<int64_t> PlacesOfChange(const oracle::Oracle& oracle,
                                    const engine::Operation& operation) {
  std::vector<int64_t> places;
  for (const uint64_t bits : Breakpoints(oracle, operation, Binades(operation.input_type, 1, 1))) {
    places.push_back(PlaceOf(operation.input_type, bits));
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

void SortByBits(std::span<float> x) {
  std::sort(x.begin(), x.end(), [](float a, float b) {
    return std::bit_cast<uint32_t>(a) < std::bit_cast<uint32_t>(b);
  });
}

engine::Function RandomParameters(const engine::Spec& spec, Generator& generator) {
  engine::Function function = engine::WithDefaults(spec);
  for (size_t i = 0; i < spec.parameters.size(); ++i) {
    function.parameters[i] = RandomParameter(spec.parameters[i], generator);
  }
  return function;
}

void RandomInputs(const engine::Function& function, std::span<const double> kinks,
                  Generator& generator, std::span<float> x) {
  std::vector<double> scales = {1};
  for (size_t i = 0; i < function.spec->parameters.size(); ++i) {
    scales.push_back(function.parameters[i]);
    scales.push_back(1 / function.parameters[i]);
  }
  for (size_t i = 0; i < x.size(); ++i) {
    const double size =
        std::exp2(Uniform(generator, kLowestScaledExponent, kHighestScaledExponent));
    const auto scaled =
        static_cast<float>(scales[generator() % scales.size()] * size * RandomSign(generator));
    if (i % 16 == 1 && !kinks.empty()) {
      const auto kink = static_cast<float>(kinks[generator() % kinks.size()]);
      const int64_t place = PlaceOf(DataType::kFloat32, std::bit_cast<uint32_t>(kink)) +
                            RandomDistance(generator, kNeighbourExponent32);
      x[i] = std::bit_cast<float>(static_cast<uint32_t>(AtPlace(DataType::kFloat32, place)));
    } else if (i % 4 == 0 || scaled == 0 || !std::isfinite(scaled)) {
      x[i] = std::bit_cast<float>(static_cast<uint32_t>(generator()));
    } else {
      x[i] = scaled;
    }
  }
  SortByBits(x);
}

void RandomInputs(std::span<const int64_t> places, Generator& generator, std::span<double> x) {
  for (size_t i = 0; i < x.size(); ++i) {
    switch (i % 4) {
      case 0:
        x[i] = std::bit_cast<double>(generator());
        break;
      case 1:
        if (!places.empty()) {
          const int64_t place =
              places[generator() % places.size()] + RandomDistance(generator, kNeighbourExponent64);
          x[i] = std::bit_cast<double>(AtPlace(DataType::kFloat64, place));
          break;
        }
        [[fallthrough]];
      default:
        x[i] = std::exp2(Uniform(generator, -2 * kOrdinaryExponent,
                                 kLowestScaledExponent + kOrdinaryExponent)) *
               RandomSign(generator);
    }
  }
}

}  // namespace activation::accuracy
