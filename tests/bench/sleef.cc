// Compiled once with AVX2 and once with AVX-512. To keep the two apart, nothing here but the two
// Find functions is visible outside, and no inline function of a library is called.
#include "tests/bench/sleef.h"

#include <immintrin.h>
#include <sleef.h>
#include <string.h>

namespace activation::bench {
namespace {

#ifdef __AVX512F__
using V = __m512;
#define SLEEF_CALL(name, accuracy) Sleef_##name##f16_##accuracy##avx512f
#else
using V = __m256;
#define SLEEF_CALL(name, accuracy) Sleef_##name##f8_##accuracy##avx2
#endif

V Exp(V x) { return SLEEF_CALL(exp, u10)(x); }
V Expm1(V x) { return SLEEF_CALL(expm1, u10)(x); }
V Log1p(V x) { return SLEEF_CALL(log1p, u10)(x); }
V Tanh(V x) { return SLEEF_CALL(tanh, u10)(x); }
V Erfc(V x) { return SLEEF_CALL(erfc, u15)(x); }
V Abs(V x) { return x < 0.0f ? -x : x; }

constexpr float kSqrtHalf = 0.70710678118654752f;     // 1/sqrt(2)
constexpr float kInvSqrt2Pi = 0.39894228040143268f;   // 1/sqrt(2 pi)
constexpr float kTwoSqrt2ByPi = 1.5957691216057308f;  // 2 sqrt(2/pi)
constexpr float kCubic = 0.044715f;                   // gelu_tanh's own

struct Sigmoid {
  static V Value(V x) { return 1.0f / (1.0f + Exp(-x)); }
  static V Derivative(V x) {
    const V e = Exp(-Abs(x));
    return e / ((1.0f + e) * (1.0f + e));
  }
};

struct HyperbolicTangent {
  static V Value(V x) { return Tanh(x); }
  static V Derivative(V x) {
    const V e = Exp(-2.0f * Abs(x));
    return 4.0f * e / ((1.0f + e) * (1.0f + e));
  }
};

struct Silu {
  static V Value(V x) { return x / (1.0f + Exp(-x)); }
  static V Derivative(V x) {
    const V s = Sigmoid::Value(x);
    return s + x * s * (1.0f - s);
  }
};

struct SmoothPlus {
  static V Value(V x) { return (x > 0.0f ? x : x - x) + Log1p(Exp(-Abs(x))); }
  static V Derivative(V x) { return Sigmoid::Value(x); }
};

struct Elu {
  static V Value(V x) { return x > 0.0f ? x : Expm1(x); }
  static V Derivative(V x) {
    const V e = Exp(x);
    return x > 0.0f ? x - x + 1.0f : e;
  }
};

struct Gelu {
  static V Value(V x) { return 0.5f * x * Erfc(-kSqrtHalf * x); }
  static V Derivative(V x) {
    return 0.5f * Erfc(-kSqrtHalf * x) + kInvSqrt2Pi * x * Exp(-0.5f * x * x);
  }
};

struct GeluTanh {
  static V Value(V x) { return x / (1.0f + Exp(-kTwoSqrt2ByPi * x * (1.0f + kCubic * x * x))); }
  static V Derivative(V x) {
    const V s = Sigmoid::Value(kTwoSqrt2ByPi * x * (1.0f + kCubic * x * x));
    return s + kTwoSqrt2ByPi * x * (1.0f + 3.0f * kCubic * x * x) * s * (1.0f - s);
  }
};

// tanh(log(1 + e)) = n/(n + 2), n = e (e + 2), which is 1 in float32 from e^20 on.
struct Mish {
  static V Value(V x) {
    const V e = Exp(x < 20.0f ? x : x - x + 20.0f);
    const V n = e * (e + 2.0f);
    return x * (n / (n + 2.0f));
  }
  static V Derivative(V x) {
    const V e = Exp(x < 20.0f ? x : x - x + 20.0f);
    const V n = e * (e + 2.0f);
    const V m = n + 2.0f;
    return n / m + 4.0f * x * e * (1.0f + e) / (m * m);
  }
};

V Load(const float* from) {
  V v;
  memcpy(&v, from, sizeof(v));
  return v;
}
void Store(V v, float* to) { memcpy(to, &v, sizeof(v)); }

constexpr size_t kLanes = sizeof(V) / sizeof(float);

template <class F>
void RunValue(const float* input, const float*, float* output, size_t count) {
  for (size_t i = 0; i < count; i += kLanes) Store(F::Value(Load(input + i)), output + i);
}

template <class F>
void RunDerivative(const float* input, const float* upstream, float* output, size_t count) {
  for (size_t i = 0; i < count; i += kLanes) {
    Store(Load(upstream + i) * F::Derivative(Load(input + i)), output + i);
  }
}

template <class F>
constexpr SleefFunction MakeFunction(const char* name) {
  return {name, RunValue<F>, RunDerivative<F>};
}

constexpr SleefFunction kFunctions[] = {
    MakeFunction<Gelu>("gelu"),       MakeFunction<GeluTanh>("gelu_tanh"),
    MakeFunction<Sigmoid>("sigmoid"), MakeFunction<HyperbolicTangent>("tanh"),
    MakeFunction<Silu>("silu"),       MakeFunction<SmoothPlus>("softplus"),
    MakeFunction<Elu>("elu"),         MakeFunction<Mish>("mish"),
};

const SleefFunction* Find(const char* name) {
  for (const SleefFunction& function : kFunctions) {
    if (strcmp(function.name, name) == 0) return &function;
  }
  return nullptr;
}

}  // namespace

#ifdef __AVX512F__
const SleefFunction* FindSleefAvx512(const char* name) { return Find(name); }
#else
const SleefFunction* FindSleefAvx2(const char* name) { return Find(name); }
#endif

}  // namespace activation::bench
