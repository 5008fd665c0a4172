// The numerical engine: activation functions over packed arrays, on every CPU the same bits.
//
// Guarantees, for every input and every allowed parameter value, on every SIMD target, at every
// position and length:
//   - FLOAT32, FLOAT16 and BFLOAT16 outputs are correctly rounded: the exact real number f(x) (or
//     f'(x), or upstream * f'(x)) rounded once, to nearest, ties to even, subnormals kept.
//   - FLOAT64 outputs are within 1 ULP.
//   - NaN in (x or upstream) gives the quiet NaN with sign bit and payload clear.
//   - x = +-infinity gives the limit. upstream * f' follows IEEE 754 (infinity * 0 is NaN).
//   - f(-0) = -0 where f(0) = 0, unless Spec::positive_zero; underflow keeps its sign. A
//     derivative that is 0 at x = 0 is +0.
//
// The engine knows neither gRPC nor protobuf. All functions are thread-safe; nothing but
// std::bad_alloc is thrown, by Run alone.
#ifndef ACTIVATION_SERVER_ENGINE_ENGINE_H_
#define ACTIVATION_SERVER_ENGINE_ENGINE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "server/engine/spec.h"

namespace activation::engine {

enum class DataType : uint8_t { kFloat32, kFloat64, kFloat16, kBFloat16 };
inline constexpr int kDataTypeCount = 4;

// Bytes of one element.
constexpr size_t SizeOf(DataType type) {
  return type == DataType::kFloat64 ? 8 : type == DataType::kFloat32 ? 4 : 2;
}

// All activations, in the catalogue's order. The pointers are valid forever.
std::span<const Spec* const> Catalogue();

// By canonical name or alias; null if there is none.
const Spec* Find(std::string_view name);

// The place of a Spec (one of Catalogue()'s) in the catalogue.
int IndexOf(const Spec& spec);

// An activation with its parameters, in the order of Spec::parameters. The values must be allowed
// ones.
struct Function {
  const Spec* spec = nullptr;
  std::array<double, kMaxParameters> parameters = {};
};

// With every parameter at its default.
Function WithDefaults(const Spec& spec);

// By canonical name or alias, with the parameters that are the defaults under that name; none if
// there is no such name.
std::optional<Function> FindFunction(std::string_view name);

// The place of a parameter that exceeds the one named by its `at_most`; none where all is well.
std::optional<size_t> FindExcess(const Function& function);
// The place of a parameter of this name, which must be one.
size_t PlaceOf(const Spec& spec, std::string_view parameter);

enum class Quantity : uint8_t { kValue, kDerivative };

struct Operation {
  Function function;
  Quantity quantity = Quantity::kValue;
  DataType input_type = DataType::kFloat32;
  DataType output_type = DataType::kFloat32;
};

// output[i] = f(input[i]) or f'(input[i]), times upstream[i] unless upstream is null, for i <
// count. input and upstream are packed arrays of input_type, output of output_type, at any
// alignment; output must not overlap them. Runs on the calling thread.
void Run(const Operation& operation, const std::byte* input, const std::byte* upstream,
         std::byte* output, size_t count);

// The same functions to more than twice float64's precision: hi[i] + lo[i] is f(x[i]) or f'(x[i])
// within 2^-90 relative (hi the nearest double), as far as float64's range goes. For measuring
// errors.
void RunPrecise(const Function& function, Quantity quantity, const double* x, double* hi,
                double* lo, size_t count);

// The gradient for each parameter of a function, summed over elements:
//   sum over i of upstream[i] * df/dp(input[i]).
// Terms and sum are carried in twice float64's precision, so that Total is right to 1 ULP of
// float64 for 10^7 elements and more, unless terms cancel to below 2^-40 of their size.
class ParameterGradients {
 public:
  explicit ParameterGradients(const Function& function);

  // input and upstream (null: 1) as for Run.
  void Add(DataType input_type, const std::byte* input, const std::byte* upstream, size_t count);
  // Adds what another one, of the same function, has summed.
  void Add(const ParameterGradients& other);
  // For the index-th of Spec::parameters.
  double Total(int index) const;

 private:
  struct Sum {
    double hi = 0;
    double lo = 0;
    void Add(double other_hi, double other_lo);
  };
  Function function_;
  std::array<Sum, kMaxParameters> sums_;
};

// The instruction set that Run uses here, by Highway's name ("AVX3", "AVX2", "SSE4", "SSSE3", ...).
const char* SimdTarget();

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_ENGINE_H_
