// The instruction set in use.
#ifndef ACTIVATION_SERVER_ENGINE_SIMD_TARGET_H_
#define ACTIVATION_SERVER_ENGINE_SIMD_TARGET_H_

namespace activation::engine {

// The instruction set that the engine uses here, by Highway's name ("AVX3", "AVX2", "SSE4",
// "SSSE3", ...).
const char* SimdTarget();

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_SIMD_TARGET_H_
