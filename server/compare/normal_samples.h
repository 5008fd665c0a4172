// Samples of the standard normal distribution, the same bits on every machine: the C++ library's
// distribution differs between libraries, and the C library's log between CPUs.
#ifndef ACTIVATION_SERVER_COMPARE_NORMAL_SAMPLES_H_
#define ACTIVATION_SERVER_COMPARE_NORMAL_SAMPLES_H_

#include <cstdint>

namespace activation::server {

// The p-quantile for 0 < p < 1, within 1e-15 of itself: M. J. Wichura, "Algorithm AS 241: The
// percentage points of the normal distribution", Applied Statistics 37(3), 1988, routine PPND16.
double NormalQuantile(double p);

// The index-th sample: the quantile of a uniform number, for which the seed and the index are
// hashed by SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014). At most 8.3 in size.
double NormalSample(uint64_t seed, uint64_t index);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_COMPARE_NORMAL_SAMPLES_H_
