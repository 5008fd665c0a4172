// What other software has got wrong, kind by kind: overflowing intermediate results, cancelled
// tails, lost NaNs and signs, roundings done twice, results that depend on the lane. Each name says
// what holds here. The bits are the oracle's (each test asks it again), for inputs of our own
// choice.
#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <vector>

#include "proto/element_type.h"
#include "tests/accuracy/checks.h"
#include "tests/accuracy/targets.h"
#include "tests/support/format.h"

namespace activation::accuracy {
namespace {

using engine::Quantity;

constexpr DataType kF32 = DataType::kFloat32;
constexpr DataType kF64 = DataType::kFloat64;
constexpr DataType kF16 = DataType::kFloat16;
constexpr DataType kBf16 = DataType::kBFloat16;
constexpr Quantity kValue = Quantity::kValue;
constexpr Quantity kSlope = Quantity::kDerivative;

struct Row {
  uint64_t input;
  uint64_t result;
};

struct Kind {
  const char* name;
  const char* activation;
  double parameter;  // its first, where it has one
  Quantity quantity;
  DataType input_type;
  DataType output_type;
  std::vector<Row> rows;
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

engine::Operation OperationOf(const Kind& kind) {
  engine::Function function = engine::WithDefaults(*engine::Find(kind.activation));
  if (!function.spec->parameters.empty()) function.parameters[0] = kind.parameter;
  return {function, kind.quantity, kind.input_type, kind.output_type};
}

// clang-format off
const std::vector<Kind>& Kinds() {
  static const auto& kinds = *new std::vector<Kind>{
    {"EluNearZeroKeepsItsDigits", "elu", 1.0, kValue, kF32, kF32,
     {{0xb3100000, 0xb3100000}, {0xb62d0000, 0xb62cfff1}, {0xb9648000, 0xb96479a0}, {0xbb4d2800, 0xbb4cd5e1}}},
    {"EluScalesItsLeftSide", "elu", 2.5, kValue, kF32, kF32,
     {{0xbc9e2000, 0xbd43c2c7}, {0xbfc00000, 0xbff8992d}, {0xc2480000, 0xc0200000}, {0xff800000, 0xc0200000}}},
    {"GeluDoesNotCancelInItsNegativeTail", "gelu", 0, kValue, kF32, kF32,
     {{0xc0880000, 0xb83e880c}, {0xc0a80000, 0xb4d659ef}, {0xc0ba0000, 0xb299a5f1}, {0xc0c80000, 0xb0b049c0}, {0xc1100000, 0xa195e52e}, {0xc1300000, 0x9326840f}, {0xc1580000, 0x8001263e}}},
    {"GeluOfInfinityIsItsLimit", "gelu", 0, kValue, kF32, kF32,
     {{0x7f800000, 0x7f800000}, {0xff800000, 0x80000000}}},
    {"GeluOfHugeInputsIsTheInput", "gelu", 0, kValue, kF32, kF32,
     {{0x42a80000, 0x42a80000}, {0x7111a2b4, 0x7111a2b4}, {0x7f7fffff, 0x7f7fffff}}},
    {"GeluOfTinyBfloat16IsHalfTheInput", "gelu", 0, kValue, kBf16, kBf16,
     {{0x00ce, 0x0067}, {0x129c, 0x121c}, {0xa1ad, 0xa12d}, {0x30e6, 0x3066}}},
    {"GeluIsNotReplacedByAnApproximation", "gelu", 0, kValue, kF32, kF32,
     {{0xc0300000, 0xbc064197}, {0xbf900000, 0xbe16196b}, {0x3f200000, 0x3eeae277}, {0x40300000, 0x402f79be}}},
    {"GeluInBfloat16IsRoundedOnce", "gelu", 0, kValue, kBf16, kBf16,
     {{0x3eae, 0x3e5c}, {0xbeae, 0xbdff}, {0x3f83, 0x3f5e}, {0xc007, 0xbd17}}},
    {"GeluInFloat16IsRoundedOnce", "gelu", 0, kValue, kF16, kF16,
     {{0x157c, 0x117d}, {0x957c, 0x917b}, {0x0003, 0x0002}, {0x8003, 0x8001}}},
    {"GeluOfSubnormalTiesSeesTheQuadraticTerm", "gelu", 0, kValue, kBf16, kBf16,
     {{0x0003, 0x0002}, {0x0007, 0x0004}, {0x8001, 0x8000}, {0x8005, 0x8002}}},
    {"GeluInFloat32IsRightWhereFloat64IsTooShort", "gelu", 0, kValue, kF32, kF32,
     {{0x37b0a46f, 0x3730a531}, {0xc13ced3a, 0x8c882138}}},
    {"GeluTanhStaysFiniteWhereAnExponentialOverflows", "gelu_tanh", 0, kValue, kF32, kF32,
     {{0xc1580000, 0x80000000}, {0xc1a80000, 0x80000000}, {0xc3500000, 0x80000000}, {0x43500000, 0x43500000}}},
    {"GeluTanhInFloat64StaysFiniteInEveryLane", "gelu_tanh", 0, kValue, kF64, kF64,
     {{0x4034d5a3b1c2f9e7, 0x4034d5a3b1c2f9e7}, {0xc034d5a3b1c2f9e7, 0x83055d681bac781c}, {0x4032bb3c4d5e6f78, 0x4032bb3c4d5e6f78}, {0x4079000000000000, 0x4079000000000000}}},
    {"GeluTanhIsNotFlushedInItsNegativeTail", "gelu_tanh", 0, kValue, kF32, kF32,
     {{0xc0880000, 0xb7a8f6b1}, {0xc0a80000, 0xb32a03c5}, {0xc0c80000, 0xad0b561d}, {0xc0e80000, 0xa4f527e0}, {0xc1080000, 0x979d7123}, {0xc1200000, 0x8223e47f}}},
    {"GeluTanhKeepsZerosInfinitiesNansAndTinyInputs", "gelu_tanh", 0, kValue, kF32, kF32,
     {{0x00000000, 0x00000000}, {0x80000000, 0x80000000}, {0x7f800000, 0x7f800000}, {0xff800000, 0x80000000}, {0x7fc00000, 0x7fc00000}, {0x0d180000, 0x0c980000}}},
    {"GeluAndGeluTanhAreDifferentFunctions", "gelu_tanh", 0, kValue, kF32, kF32,
     {{0xc0380000, 0xbbaf8c06}, {0xbf900000, 0xbe164c3e}, {0x3f900000, 0x3f7a6cf1}, {0x40380000, 0x4037a83a}}},
    {"SiluIsNotGeluTanh", "silu", 1.0, kValue, kF32, kF32,
     {{0xc0100000, 0xbe5baf67}, {0xbf900000, 0xbe8d2b41}, {0x3f900000, 0x3f596a5f}, {0x40100000, 0x4002450a}}},
    {"GeluTanhInFloat16IsRoundedOnce", "gelu_tanh", 0, kValue, kF16, kF16,
     {{0x157c, 0x117d}, {0x957c, 0x917b}, {0x3180, 0x2e40}}},
    {"GeluSigmoidIsXTimesTheLogisticFunction", "gelu_sigmoid", 0, kValue, kF32, kF32,
     {{0xc2800000, 0x80000000}, {0xc0400000, 0xbc940a49}, {0x00000200, 0x00000100}, {0x40400000, 0x403ed7eb}}},
    {"LeakyReluTakesANegativeSlope", "leaky_relu", -0.75, kValue, kF32, kF32,
     {{0xbfc00000, 0x3f900000}, {0x3fc00000, 0x3fc00000}, {0xff800000, 0x7f800000}}},
    {"LeakyReluOfMinusInfinityIsItsLimitForAnySlope", "leaky_relu", 0.25, kValue, kF32, kF32,
     {{0xff800000, 0xff800000}, {0x7f800000, 0x7f800000}}},
    {"ReluKeepsNan", "relu", 0, kValue, kF32, kF32,
     {{0x7fc00000, 0x7fc00000}, {0x7f800000, 0x7f800000}, {0xff800000, 0x00000000}, {0x80000000, 0x00000000}}},
    {"LeakyReluKeepsNan", "leaky_relu", 0.01, kValue, kF32, kF32,
     {{0x7fc00000, 0x7fc00000}}},
    {"SigmoidNearOneDoesNotDependOnTheLength", "sigmoid", 0, kValue, kF32, kF32,
     {{0x41850000, 0x3f7fffff}, {0x42090000, 0x3f800000}, {0x00000000, 0x3f000000}}},
    {"SigmoidInBfloat16IsAHalfAtZero", "sigmoid", 0, kValue, kBf16, kBf16,
     {{0x0000, 0x3f00}, {0x8000, 0x3f00}, {0xc090, 0x3c34}, {0xbf10, 0x3eba}, {0x3f20, 0x3f27}, {0x7fc0, 0x7fc0}}},
    {"SigmoidInFloat16IsRoundedOnce", "sigmoid", 0, kValue, kF16, kF16,
     {{0x1d00, 0x3802}, {0x2280, 0x3806}, {0x9900, 0x37fe}, {0x9d80, 0x37fb}}},
    {"SiluUnderflowsGraduallyAndKeepsItsSign", "silu", 1.0, kValue, kF32, kF32,
     {{0xc2b10000, 0x82dd2ec2}, {0xc2b30000, 0x82249371}, {0xc2cc0000, 0x8000016e}, {0xc2d90000, 0x80000001}, {0xc4800000, 0x80000000}, {0xff7fffff, 0x80000000}}},
    {"SiluInBfloat16IsNotFlushedNearMinus88", "silu", 1.0, kValue, kBf16, kBf16,
     {{0xc2ae, 0x83f4}, {0xc2b2, 0x8287}, {0xc2b3, 0x8225}}},
    {"SiluInFloat16IsRoundedOnce", "silu", 1.0, kValue, kF16, kF16,
     {{0x0001, 0x0001}, {0x8001, 0x8000}, {0x0003, 0x0002}, {0xc173, 0xb15d}}},
    {"SiluWithAHugeSlopeIsZeroAtZero", "silu", -1e+299, kValue, kF64, kF64,
     {{0x0000000000000000, 0x0000000000000000}, {0x8000000000000000, 0x8000000000000000}, {0x3ff8000000000000, 0x0000000000000000}, {0xbff8000000000000, 0xbff8000000000000}}},
    {"SoftplusWithAHugeBetaIsRelu", "softplus", 1e+29, kValue, kF32, kF32,
     {{0x3f400000, 0x3f400000}, {0x3fc00000, 0x3fc00000}, {0xbf800000, 0x00000000}}},
    {"SoftplusDividesByBeta", "softplus", 40.0, kValue, kF16, kF16,
     {{0xae40, 0x1014}, {0xa100, 0x229d}, {0x0000, 0x2470}, {0x2100, 0x25cf}, {0x2e40, 0x2e48}}},
    {"SoftplusOfNegativeInputsKeepsItsDigits", "softplus", 1.0, kValue, kF32, kF32,
     {{0xc1480000, 0x367a174b}, {0xc17c0000, 0x341b2750}, {0xc1900000, 0x3282d314}, {0xc1b00000, 0x2f995a46}, {0xc2400000, 0x1cd75d5d}, {0xc2b00000, 0x0041edc4}}},
    {"SoftplusInFloat16IsTheInputBeyondTen", "softplus", 1.0, kValue, kF16, kF16,
     {{0x4938, 0x4938}, {0x4960, 0x4960}, {0x4e00, 0x4e00}, {0x6400, 0x6400}}},
    {"SoftplusNearZeroIsLog2", "softplus", 1.0, kValue, kF32, kF32,
     {{0x00000000, 0x3f317218}, {0x80000000, 0x3f317218}, {0x33100000, 0x3f317218}, {0xb3100000, 0x3f317218}}},
    {"SoftplusDoesNotOverflow", "softplus", 1.0, kValue, kF32, kF32,
     {{0x42b10000, 0x42b10000}, {0x42b30000, 0x42b30000}, {0x7f7fffff, 0x7f7fffff}}},
    {"TanhNeverExceedsOne", "tanh", 0, kValue, kF32, kF32,
     {{0x410c0000, 0x3f7fffff}, {0x410d4000, 0x3f7fffff}, {0x410ec000, 0x3f7fffff}, {0x41102000, 0x3f7fffff}}},
    {"TanhReachesOne", "tanh", 0, kValue, kF32, kF32,
     {{0x41120000, 0x3f800000}, {0x41280000, 0x3f800000}, {0x41b00000, 0x3f800000}, {0xc1120000, 0xbf800000}}},
    {"TanhOfHugeInputsIsOne", "tanh", 0, kValue, kF32, kF32,
     {{0x44800000, 0x3f800000}, {0xc4800000, 0xbf800000}, {0x7f7fffff, 0x3f800000}, {0x7f800000, 0x3f800000}, {0xff800000, 0xbf800000}}},
    {"TanhIsTheSameInBodyAndTail", "tanh", 0, kValue, kF32, kF32,
     {{0x3ea00000, 0x3e9afcc5}, {0x40480000, 0x3f7f0376}}},
    {"EluDerivativeWithANegativeAlphaTakesTheRightBranch", "elu", -1.5, kSlope, kF32, kF32,
     {{0xbfc00000, 0xbeab5d2d}, {0xbe800000, 0xbf95879e}, {0x3e800000, 0x3f800000}, {0x3fc00000, 0x3f800000}, {0x00000000, 0xbfc00000}}},
    {"GeluDerivativeDoesNotCancelInItsNegativeTail", "gelu", 0, kSlope, kF32, kF32,
     {{0xc0880000, 0xb94972a9}, {0xc0a80000, 0xb60c59f0}, {0xc0c80000, 0xb2099069}, {0xc1080000, 0xa645564a}, {0xc1280000, 0x98b82e35}}},
    {"GeluTanhDerivativeOfHugeInputsIsZeroOrOne", "gelu_tanh", 0, kSlope, kF32, kF32,
     {{0x60400000, 0x3f800000}, {0xe0400000, 0x80000000}, {0x7f7fffff, 0x3f800000}, {0xff7fffff, 0x80000000}}},
    {"SiluDerivativeInFloat64UnderflowsGradually", "silu", 1.0, kSlope, kF64, kF64,
     {{0xc086200000000000, 0x80b06bcc2817f13d}, {0xc085d00000000000, 0x8195c399ee207a99}, {0xc087340000000000, 0x8000000000001428}}},
    {"SoftplusDerivativeTendsToZeroAndOne", "softplus", 1.0, kSlope, kF32, kF32,
     {{0x42b30000, 0x3f800000}, {0x43000000, 0x3f800000}, {0x7f7fffff, 0x3f800000}, {0xc2c80000, 0x0000001b}, {0xff7fffff, 0x00000000}}},
    {"SoftplusDerivativeAtZeroIsAHalf", "softplus", 1.0, kSlope, kF32, kF32,
     {{0x00000000, 0x3f000000}, {0x80000000, 0x3f000000}}},
    {"TanhDerivativeIsFullyAccurate", "tanh", 0, kSlope, kF32, kF32,
     {{0x00000000, 0x3f800000}, {0x3f200000, 0x3f314262}, {0x40100000, 0x3d320845}, {0x41180000, 0x32c082b8}, {0xc2280000, 0x03e0f96d}}},
    {"GeluSigmaOneIsGelu", "gelu_sigma", 1.0, kValue, kF32, kF32,
     {{0xc0b00000, 0xb3e049ec}, {0xbf400000, 0xbe2e0cc0}, {0x3f400000, 0x3f147cd0}}},
    {"StepOfNanIsNan", "step", 0, kValue, kF32, kF32,
     {{0x7fc00000, 0x7fc00000}, {0x80000000, 0x3f000000}, {0x00000001, 0x3f800000}, {0x80000001, 0x00000000}}},
    {"BfloatOutputIsRoundedNotTruncated", "relu", 0, kValue, kF32, kBf16,
     {{0x3e89d555, 0x3e8a}, {0x322bd000, 0x322c}, {0x4048f800, 0x4049}}},
    {"BfloatOutputTiesGoToEven", "relu", 0, kValue, kF32, kBf16,
     {{0x43828000, 0x4382}, {0x41018000, 0x4102}, {0x44808000, 0x4480}, {0x7f7fffff, 0x7f80}}},
    {"Float16OutputFromFloat64IsRoundedOnce", "relu", 0, kValue, kF64, kF16,
     {{0x3ff0060020000000, 0x3c02}, {0x3ff00a0000000001, 0x3c03}, {0x4000020000000001, 0x4001}, {0x40effdffffffffff, 0x7bff}}},
    {"BfloatOutputFromFloat64IsRoundedOnce", "relu", 0, kValue, kF64, kBf16,
     {{0x3ff0100000000100, 0x3f81}, {0x3ff0300000010000, 0x3f82}}},
  };
  return kinds;
}
// clang-format on

class KnownKinds : public testing::TestWithParam<Kind> {};

// At several lengths, so that each input meets every lane of the vector loop and its tail.
TEST_P(KnownKinds, Holds) {
  const engine::Operation operation = OperationOf(GetParam());
  const std::vector<Row>& rows = GetParam().rows;
  ForEachTarget([&](const char* target) {
    for (const size_t length : {size_t{1}, size_t{3}, size_t{4}, rows.size(), size_t{37}}) {
      std::vector<uint64_t> inputs;
      for (size_t i = 0; i < length; ++i) inputs.push_back(rows[i % rows.size()].input);
      const std::vector<uint64_t> results = RunEngine(operation, inputs);
      for (size_t i = 0; i < length; ++i) {
        EXPECT_EQ(results[i], rows[i % rows.size()].result)
            << target << ": " << Describe(operation) << " at "
            << oracle::Describe(operation.input_type, inputs[i]) << " is "
            << oracle::Describe(operation.output_type, results[i]) << ", should be "
            << oracle::Describe(operation.output_type, rows[i % rows.size()].result) << ", element "
            << i << " of " << length;
      }
    }
  });
}

TEST_P(KnownKinds, IsWhatTheOracleSays) {
  const engine::Operation operation = OperationOf(GetParam());
  const int what = operation.quantity == kValue ? oracle::kValue : oracle::kDerivative;
  for (const Row& row : GetParam().rows) {
    const double x = oracle::Decode(operation.input_type, row.input);
    EXPECT_EQ(OracleOf(*operation.function.spec)
                  .Round(operation.output_type, what, x, operation.function.parameters),
              row.result)
        << std::hexfloat << x;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, KnownKinds, testing::ValuesIn(Kinds()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace activation::accuracy
