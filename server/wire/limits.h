// Every bound on requests and what they hold, with its reason; those of formulas stand in
// server/formula/parse.h. GetServerInfo tells clients the ones that they meet.
#ifndef ACTIVATION_SERVER_WIRE_LIMITS_H_
#define ACTIVATION_SERVER_WIRE_LIMITS_H_

#include <cstddef>
#include <cstdint>

namespace activation::server {

// Extents in a shape. NumPy allows 32, PyTorch 64; nobody activates beyond a handful.
inline constexpr int kMaxRank = 16;

// Bytes of an activation's or parameter's name that are still looked up.
inline constexpr int kMaxNameBytes = 64;

// Parameters that a request may set on one activation.
inline constexpr int kMaxRequestParameters = 16;

// Bytes of all formulas in one batch: they are compiled on the thread that receives them, up to 10
// us each byte.
inline constexpr size_t kMaxFormulaBytesOfBatch = 65'536;

// Bounds between the regions of a comparison, and points of its curve. Many more than a table or a
// plot shows.
inline constexpr int kMaxRegionBounds = 64;
inline constexpr int kMaxCurvePoints = 10'000;

// Knots of a look-up table, and coefficients of one of its pieces: 16-bit inputs need no more, and
// a higher degree says nothing in float64.
inline constexpr int kMaxKnots = 65'536;
inline constexpr int kMaxCoefficients = 16;
// Points of one comparison that reports progress, at least: all values of float32.
inline constexpr int64_t kMostStreamedPoints = int64_t{1} << 32;
// Bytes of a status message. gRPC 1.51 breaks the connection's next calls above about 8 KiB of it.
inline constexpr int kMaxStatusMessageBytes = 1023;

// Elements computed between two looks at whether the call was cancelled: at 1 to 100 ns each, below
// 2 ms; about 1 s where every one of them needs multiprecision arithmetic.
inline constexpr int64_t kElementsPerBlock = 16'384;

// Bytes of a request that is still computed on the thread that received it, since the hop to a
// worker costs more, about 10 us: 2,048 float32 or 1,024 float64 elements, mostly below 0.1 ms.
inline constexpr size_t kMaxInlineBytes = 8'192;

// The bounds that flags set.
struct Limits {
  // Largest request and largest reply, bytes. 64 MiB is 16 Mi float32 elements; larger tensors
  // stream.
  int64_t max_message_bytes = int64_t{64} << 20;
  // Items in one batch.
  int64_t max_batch_items = 1'024;
  // Points of one comparison; a unary call over this many takes seconds.
  int64_t max_compare_points = 100'000'000;
  // Candidates of one comparison.
  int64_t max_compare_candidates = 32;
  // Bytes of requests waiting or in work and of replies not yet sent, so that memory is bounded;
  // above it calls are refused.
  int64_t max_pending_bytes = int64_t{1} << 30;
};

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_WIRE_LIMITS_H_
