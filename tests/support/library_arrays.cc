#include "tests/support/library_arrays.h"

#include "tests/support/lanes.h"

// Apart from interval_functions.cc because GCC uses libmvec only where it may take the rounding
// mode to be the usual one.
#if defined(__x86_64__) && !defined(__clang__)
#define ACTIVATION_VECTOR_FUNCTION __attribute__((simd("notinbranch")))
#else
#define ACTIVATION_VECTOR_FUNCTION
#endif

#define ACTIVATION_ARRAY_FUNCTION(NAME, FUNCTION)                                   \
  extern "C" ACTIVATION_VECTOR_FUNCTION double FUNCTION(double) noexcept;           \
  namespace activation::oracle {                                                    \
  ACTIVATION_LOOP void NAME(const double* __restrict from, double* __restrict to) { \
    for (size_t i = 0; i < kLanes; ++i) to[i] = FUNCTION(from[i]);                  \
  }                                                                                 \
  }

ACTIVATION_ARRAY_FUNCTION(CosArray, cos)
ACTIVATION_ARRAY_FUNCTION(CoshArray, cosh)
ACTIVATION_ARRAY_FUNCTION(ErfArray, erf)
ACTIVATION_ARRAY_FUNCTION(ErfcArray, erfc)
ACTIVATION_ARRAY_FUNCTION(ExpArray, exp)
ACTIVATION_ARRAY_FUNCTION(Expm1Array, expm1)
ACTIVATION_ARRAY_FUNCTION(LogArray, log)
ACTIVATION_ARRAY_FUNCTION(Log1pArray, log1p)
ACTIVATION_ARRAY_FUNCTION(SinArray, sin)
ACTIVATION_ARRAY_FUNCTION(TanhArray, tanh)
