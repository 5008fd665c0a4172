// The bounds of the relative error of results before they are rounded, one for each number type
// (lanes-inl.h). Of a result whose terms may cancel it is relative to its magnitude (Result in
// math-inl.h). Correct rounding rests on them; tests/accuracy/bounds_test.cc holds every kernel
// against them.
#ifndef ACTIVATION_SERVER_ENGINE_ERROR_BOUNDS_H_
#define ACTIVATION_SERVER_ENGINE_ERROR_BOUNDS_H_

namespace activation::engine {

// QuickPairs: what the rounding test of kernels_float64.cc allows. (That of Lanes is beside its
// test, in round_to_float32-inl.h.)
inline constexpr double kQuickPairsError = 0x1p-63;

// DoubleDouble, wherever kernels_precise.cc gives a result. Most are within 2^-100. In far tails
// the rounding of an exponential's argument counts up to 1,500 times; the largest error seen is
// that of tanhshrink, 2^-91.3 at x = 0x1.fffffffffffffp-19, whose series has the float64 next to
// 2/5.
inline constexpr double kDoubleDoubleError = 0x1p-91;

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_ERROR_BOUNDS_H_
