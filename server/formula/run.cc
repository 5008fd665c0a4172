#include "server/formula/run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <vector>

#include "proto/element_type.h"
#include "server/engine/packed.h"
#include "server/formula/arithmetic.h"

namespace activation::formula {
namespace {

constexpr size_t kBlock = 256;

struct LibraryFunction {
  Op op;
  double (*quick)(double);
  long double (*precise)(long double);
};
constexpr LibraryFunction kFunctions[] = {
    {Op::kAtan, std::atan, std::atan},    {Op::kCos, std::cos, std::cos},
    {Op::kCosh, std::cosh, std::cosh},    {Op::kErf, std::erf, std::erf},
    {Op::kErfc, std::erfc, std::erfc},    {Op::kExp, std::exp, std::exp},
    {Op::kExpm1, std::expm1, std::expm1}, {Op::kLog, std::log, std::log},
    {Op::kLog1p, std::log1p, std::log1p}, {Op::kSin, std::sin, std::sin},
    {Op::kSinh, std::sinh, std::sinh},    {Op::kTanh, std::tanh, std::tanh},
};

template <typename A>
void Call(const LibraryFunction& function, const typename A::Value* a, typename A::Value* out,
          size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if constexpr (!std::is_same_v<A, Float64>) {
      // Far above the error of any of the functions, a few 2^-53.
      constexpr double kError = 0x1p-46;
      const double y = function.quick(a[i]);
      out[i] = A::Round(y - y * kError);
      if (out[i] == A::Round(y + y * kError)) continue;
    }
    out[i] = RoundLong<A>(function.precise(a[i]));
  }
}

// out[i] = operation(arguments[0][i], ...), as many as it takes.
template <typename Value, typename Operation>
void Map(size_t count, Value* __restrict out, const Value* a, Operation operation) {
  for (size_t i = 0; i < count; ++i) out[i] = operation(a[i]);
}
template <typename Value, typename Operation>
void Map(size_t count, Value* __restrict out, const Value* a, const Value* b, Operation operation) {
  for (size_t i = 0; i < count; ++i) out[i] = operation(a[i], b[i]);
}
template <typename Value, typename Operation>
void Map(size_t count, Value* __restrict out, const Value* a, const Value* b, const Value* c,
         Operation operation) {
  for (size_t i = 0; i < count; ++i) out[i] = operation(a[i], b[i], c[i]);
}

template <typename A>
void Execute(const Step& step, typename A::Value* registers, size_t count) {
  using Value = typename A::Value;
  using Wide = typename A::Wide;
  const Value* const a = registers + step.arguments[0] * kBlock;
  const Value* const b = registers + step.arguments[1] * kBlock;
  const Value* const c = registers + step.arguments[2] * kBlock;
  Value* const out = registers + step.out * kBlock;
  switch (step.op) {
    case Op::kAdd:
      return Map(count, out, a, b, [](Wide u, Wide v) { return A::Round(u + v); });
    case Op::kSubtract:
      return Map(count, out, a, b, [](Wide u, Wide v) { return A::Round(u - v); });
    case Op::kMultiply:
    case Op::kPowerMultiply:
      return Map(count, out, a, b, [](Wide u, Wide v) { return A::Round(u * v); });
    case Op::kDivide:
      return Map(count, out, a, b, [](Wide u, Wide v) { return A::Round(u / v); });
    case Op::kSqrt:
      return Map(count, out, a, [](Wide u) { return A::Round(std::sqrt(u)); });
    case Op::kMultiplyAdd:
      return Map(count, out, a, b, c,
                 [](Value u, Value v, Value w) { return MultiplyAdd<A>(u, v, w); });
    case Op::kMultiplySubtract:
      return Map(count, out, a, b, c,
                 [](Value u, Value v, Value w) { return MultiplyAdd<A>(u, v, -w); });
    case Op::kNegativeMultiplyAdd:
      return Map(count, out, a, b, c,
                 [](Value u, Value v, Value w) { return MultiplyAdd<A>(-u, v, w); });
    case Op::kNegate:
      return Map(count, out, a, [](Value u) { return -u; });
    case Op::kAbs:
      return Map(count, out, a, [](Value u) { return std::abs(u); });
    case Op::kMax:
      return Map(count, out, a, b, [](Value u, Value v) { return ((u > v) | (u != u)) ? u : v; });
    case Op::kMin:
      return Map(count, out, a, b, [](Value u, Value v) { return ((u < v) | (u != u)) ? u : v; });
    case Op::kLess:
      return Map(count, out, a, b, [](Value u, Value v) { return static_cast<Value>(u < v); });
    case Op::kLessEqual:
      return Map(count, out, a, b, [](Value u, Value v) { return static_cast<Value>(u <= v); });
    case Op::kEqual:
      return Map(count, out, a, b, [](Value u, Value v) { return static_cast<Value>(u == v); });
    case Op::kChoose:
      return Map(count, out, a, b, c, [](Value u, Value v, Value w) { return u != 0 ? v : w; });
    default:
      break;
  }
  for (const LibraryFunction& function : kFunctions) {
    if (function.op == step.op) return Call<A>(function, a, out, count);
  }
}

template <typename A>
std::vector<typename A::Value> MakeRegisters(const Program& program) {
  std::vector<typename A::Value> registers(program.registers * kBlock);
  for (const auto& [place, value] : program.constants) registers[place * kBlock] = A::Round(value);
  for (const Step& step : program.uniform_steps) Execute<A>(step, registers.data(), 1);
  for (uint32_t i = 1; i <= program.uniform_registers; ++i) {
    const auto begin = registers.begin() + i * kBlock;
    std::fill(begin, begin + kBlock, *begin);
  }
  return registers;
}

}  // namespace

void Run(const Program& program, DataType type, const std::byte* input, std::byte* output,
         size_t count) {
  WithArithmetic(program.arithmetic, [&](auto arithmetic) {
    using A = decltype(arithmetic);
    auto registers = MakeRegisters<A>(program);
    const auto* const result = registers.data() + program.result * kBlock;
    std::array<double, kBlock> buffer;  // inputs, then results
    for (size_t begin = 0; begin < count; begin += kBlock) {
      const size_t some = std::min(kBlock, count - begin);
      const size_t offset = begin * SizeOf(type);
      Decode(type, input + offset, some, buffer.data());
      std::transform(buffer.begin(), buffer.begin() + some, registers.begin(),
                     [](double x) { return A::Round(x); });
      for (const Step& step : program.steps) Execute<A>(step, registers.data(), some);
      std::copy_n(result, some, buffer.begin());
      Encode(type, buffer.data(), some, output + offset);
    }
  });
}

}  // namespace activation::formula
