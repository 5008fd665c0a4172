// The functions and operations that kernels are made of, as structs: what each claims, and how it
// is called on any number type.
#include <cmath>
#include <tuple>

#include "hwy/highway.h"
#include "tests/accuracy/functions.h"
#include "tests/accuracy/unrounded-inl.h"

#if defined(ACTIVATION_TESTS_ACCURACY_FUNCTIONS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACTIVATION_TESTS_ACCURACY_FUNCTIONS_INL_H_
#undef ACTIVATION_TESTS_ACCURACY_FUNCTIONS_INL_H_
#else
#define ACTIVATION_TESTS_ACCURACY_FUNCTIONS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace activation::accuracy {
namespace HWY_NAMESPACE {

// A sum relative to its terms' sizes, which the kernels' magnitudes are.
template <class N>
HWY_INLINE Result<N> RelativeToTerms(const N& sum, const N& a, const N& b) {
  return Result<N>{sum, Abs(a) + Abs(b)};
}

// ---- elementary-inl.h and quick_math-inl.h ----

struct ExpScaledOf {
  static constexpr Function kFunction = {"ExpScaled", "exp(x)", -660, 194, {-44, -68, -100}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return ExpScaled(x);
  }
};

// As softmax takes it.
template <class Function, size_t kCount>
HWY_INLINE Lanes<D64, kCount> ByVector(const Lanes<D64, kCount>& x, Function function) {
  return Lanes<D64, kCount>::Each(
      [&](size_t i) ACTIVATION_LAMBDA { return function(Lanes<D64>(x.v[i])).v[0]; });
}
struct ExpScaledOfOneVectorOf {
  static constexpr Function kFunction = {"ExpScaledOfOneVector", "exp(x)", -660, 194, {-45, 0, 0}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return ByVector(x, [](const auto& z) ACTIVATION_LAMBDA { return ExpScaled(z); });
  }
};

struct ExpPlusOneOf {
  static constexpr Function kFunction = {"ExpPlusOne", "exp(x)+1", -700, 194, {-44, 0, 0}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return ExpPlusOne(x, 1.0);
  }
};

struct Expm1Of {
  static constexpr Function kFunction = {"Expm1", "exp(x)-1", -660, 194, {-44, -64, -100}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return Expm1(x);
  }
};

struct Expm1OfNegativeOf {
  static constexpr Function kFunction = {"Expm1OfNegative", "exp(x)-1", -660, 0, {0, -64, 0}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return Expm1OfNegative(x);
  }
};

struct Log1pOf {
  static constexpr Function kFunction = {"Log1p", "log(1+x)", 0, 1, {-43.5, -66, -94.5}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return Log1p(x);
  }
};

struct ScaledNormalTailOf {
  static constexpr Function kFunction = {
      "ScaledNormalTail", "exp(x^2/2)*erfc(x/sqrt(2))/2", 0, 21, {-44, 0, 0}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return ScaledNormalTail(x, x * x);
  }
};

struct MillsOf {
  static constexpr Function kFunction = {
      "Mills", "exp(x^2/2)*erfc(x/sqrt(2))*sqrt(pi/2)", 0, 36, {0, -65, -98}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return Mills(x);
  }
};

struct SinReducedOf {
  static constexpr Function kFunction = {
      "SinReduced", "sin(x)", -0x1.921fb7p-1, 0x1.921fb7p-1, {-52, -66, -103}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return SinReduced(x);
  }
};

struct CosReducedOf {
  static constexpr Function kFunction = {
      "CosReduced", "cos(x)", -0x1.921fb7p-1, 0x1.921fb7p-1, {-51, -69, -103}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return CosReduced(x);
  }
};

struct SinOf {
  static constexpr Function kFunction = {"Sin", "sin(x)", -0x1p20, 0x1p20, {-51, -67, -104}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return Result<N>(Sin(x), N(1.0));
  }
};

struct CosOf {
  static constexpr Function kFunction = {"Cos", "cos(x)", -0x1p20, 0x1p20, {-51, -67, -104}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return Result<N>(Cos(x), N(1.0));
  }
};

struct SqrtOf {
  static constexpr Function kFunction = {"Sqrt", "sqrt(x)", 0x1p-60, 0x1p60, {-52.5, -98, -104}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return Sqrt(x);
  }
};

// ---- math-inl.h ----

struct SumOverOf {
  static constexpr Function kFunction = {"SumOver", "(x+3)/6", -3, 100, {-52, -102, -105}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return SumOver(x, 3.0, 6.0);
  }
};

struct SignedProductOf {
  static constexpr Function kFunction = {
      "SignedProduct", "y*x", -0x1p60, 0x1p60, {-52.5, -99.5, -104}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair& second) {
    return SignedProduct(N(second.hi), x);
  }
};

struct SumKeepingSignOf {
  static constexpr Function kFunction = {
      "SumKeepingSign", "y+3*x", -0x1p60, 0x1p60, {-51, -99.5, -104}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair& second) {
    return RelativeToTerms<N>(SumKeepingSign(N(second.hi), N(3.0), x), N(second.hi), x * 3.0);
  }
};

struct LogisticOf {
  static constexpr Function kFunction = {"Logistic", "1/(1+exp(-x))", -194, 700, {-44, -69, -103}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return Logistic(x);
  }
};

struct LogisticSlopeOf {
  static constexpr Function kFunction = {
      "LogisticSlope", "1/((1+exp(-x))*(1+exp(x)))", -194, 194, {-44, -69, -103}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return LogisticSlope(x);
  }
};

struct LogisticRampOf {
  static constexpr Function kFunction = {
      "LogisticRamp", "x/(1+exp(-x))", -194, 700, {-44, -69, -103}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return LogisticRamp(x, x, 1.0);
  }
};

struct LogisticRampSlopeOf {
  static constexpr Function kFunction = {
      "LogisticRampSlope", "(1+x/(1+exp(x)))/(1+exp(-x))", -194, 300, {-44, -69, -103}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return LogisticRampSlope(x, x);
  }
};

struct SoftplusOf {
  static constexpr Function kFunction = {"Softplus", "log(1+exp(x))", -194, 700, {-43, -69, -94.5}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return Softplus(x, 1.0);
  }
};

struct TanhOf {
  static constexpr Function kFunction = {"Tanh", "tanh(x)", -50, 50, {-47, -64, -103}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return Tanh(x);
  }
};

struct ExponentialRampOf {
  static constexpr Function kFunction = {
      "ExponentialRamp", "x > 0 ? x : exp(x)-1", -700, 100, {-48, -64, -104}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return ExponentialRamp(x, 1.0, 1.0);
  }
};

struct NormalPdfOf {
  static constexpr Function kFunction = {
      "NormalPdf", "exp(-x^2/2)/sqrt(2*pi)", -21, 21, {-43.5, -69, -96}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return NormalPdf(x);
  }
};

struct NormalCdfOf {
  static constexpr Function kFunction = {
      "NormalCdf", "erfc(-x/sqrt(2))/2", -21, 21, {-43, -67, -96}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return NormalCdf(x);
  }
};

struct NormalRampOf {
  static constexpr Function kFunction = {
      "NormalRamp", "x*erfc(-x/sqrt(2))/2", -21, 21, {-43, -67, -96}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return NormalRamp(x, 1.0);
  }
};

struct NormalRampSlopeOf {
  static constexpr Function kFunction = {
      "NormalRampSlope", "erfc(-x/sqrt(2))/2+x*exp(-x^2/2)/sqrt(2*pi)", -21, 21, {-43, -67, -96}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return NormalRampSlope(x);
  }
};

struct GaussianOf {
  static constexpr Function kFunction = {"Gaussian", "exp(-x^2)", -14, 14, {-43.5, -69, -96}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return Gaussian(x);
  }
};

struct SincOf {
  static constexpr Function kFunction = {
      "Sinc", "x == 0 ? 1 : sin(x)/x", -0x1p20, 0x1p20, {-51, -67, -103}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return Sinc(x, N(1.0));
  }
};

struct SincSlopeOf {
  static constexpr Function kFunction = {
      "SincSlope", "x == 0 ? 0 : (x*cos(x)-sin(x))/x^2", -0x1p20, 0x1p20, {-51, -67, -96}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return SincSlope(x, N(1.0));
  }
};

// ---- quick_pairs-inl.h and double_double-inl.h ----

struct SumOf {
  static constexpr Function kFunction = {"Sum", "x+(y+z)", -0x1p60, 0x1p60, {0, -100, -104.4}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair& second) {
    return RelativeToTerms<N>(x + N(second), x, N(second));
  }
};

struct SumWithDoubleOf {
  static constexpr Function kFunction = {"SumWithDouble", "x+y", -0x1p60, 0x1p60, {0, -100, 0}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair& second) {
    return RelativeToTerms<N>(x + second.hi, x, N(second.hi));
  }
};

struct FastSumOf {
  static constexpr Function kFunction = {"FastSum", "x+(y+z)", 0x1p2, 0x1p60, {0, -100, 0}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair& second) {
    return N::FastSum(x, N(second));
  }
};

struct PositiveSumOf {
  static constexpr Function kFunction = {"PositiveSum", "x+y", 0x1p-60, 0x1p60, {0, -100, 0}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair& second) {
    return N::PositiveSum(x, second.hi);
  }
};

struct ProductOf {
  static constexpr Function kFunction = {"Product", "x*(y+z)", -0x1p60, 0x1p60, {0, -99, -103.6}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair& second) {
    return x * N(second);
  }
};

struct ProductWithDoubleOf {
  static constexpr Function kFunction = {
      "ProductWithDouble", "x*y", -0x1p60, 0x1p60, {0, -99.5, 0}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair& second) {
    return x * second.hi;
  }
};

struct QuotientOf {
  static constexpr Function kFunction = {"Quotient", "x/(y+z)", -0x1p60, 0x1p60, {0, -99, -102.6}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair& second) {
    return x / N(second);
  }
};

struct QuotientByDoubleOf {
  static constexpr Function kFunction = {"QuotientByDouble", "x/y", -0x1p60, 0x1p60, {0, -99, 0}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair& second) {
    return x / second.hi;
  }
};

struct ReciprocalOf {
  static constexpr Function kFunction = {"Reciprocal", "1/x", 0x1p-60, 0x1p60, {0, -95.5, 0}};
  template <class N>
  static HWY_INLINE auto Of(const N& x, const engine::Pair&) {
    return N::Reciprocal(x);
  }
};

using FunctionList =
    std::tuple<ExpScaledOf, ExpScaledOfOneVectorOf, ExpPlusOneOf, Expm1Of, Expm1OfNegativeOf,
               Log1pOf, ScaledNormalTailOf, MillsOf, SinReducedOf, CosReducedOf, SinOf, CosOf,
               SqrtOf, SumOverOf, SignedProductOf, SumKeepingSignOf, LogisticOf, LogisticSlopeOf,
               LogisticRampOf, LogisticRampSlopeOf, SoftplusOf, TanhOf, ExponentialRampOf,
               NormalPdfOf, NormalCdfOf, NormalRampOf, NormalRampSlopeOf, GaussianOf, SincOf,
               SincSlopeOf, SumOf, SumWithDoubleOf, FastSumOf, PositiveSumOf, ProductOf,
               ProductWithDoubleOf, QuotientOf, QuotientByDoubleOf, ReciprocalOf>;

}  // namespace HWY_NAMESPACE
}  // namespace activation::accuracy
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
