// The C library's functions on arrays of kLanes numbers, by libmvec where there is one. Called
// while rounding to nearest. `to` must not be `from`.
#ifndef ACTIVATION_TESTS_SUPPORT_LIBRARY_ARRAYS_H_
#define ACTIVATION_TESTS_SUPPORT_LIBRARY_ARRAYS_H_

namespace activation::oracle {

using ArrayFunction = void(const double* from, double* to);
ArrayFunction CosArray, CoshArray, ErfArray, ErfcArray, ExpArray, Expm1Array, LogArray, Log1pArray,
    SinArray, TanhArray;

}  // namespace activation::oracle

#endif  // ACTIVATION_TESTS_SUPPORT_LIBRARY_ARRAYS_H_
