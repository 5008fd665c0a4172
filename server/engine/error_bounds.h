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

// DoubleDouble, wherever kernels_precise.cc gives a result. Most are within 2^-100; in far tails the
// rounding of an exponential's argument counts up to 1,500 times.
inline constexpr double kDoubleDoubleError = 0x1p-91;

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_ERROR_BOUNDS_H_
