// What a proof has found so far.
#ifndef ACTIVATION_TESTS_ACCURACY_EXHAUSTIVE_TALLY_H_
#define ACTIVATION_TESTS_ACCURACY_EXHAUSTIVE_TALLY_H_

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace activation::accuracy {

// Failures that are described; the others are counted only.
inline constexpr size_t kDescribedFailures = 8;

struct Tally {
  uint64_t inputs = 0;
  uint64_t by_oracle = 0;  // of these, the inputs that the filter could not decide
  uint64_t wrong = 0;      // misrounded, or off by more than 1 ULP in FLOAT64
  double seconds = 0;      // of wall-clock time
  double worst_ulp = 0;    // FLOAT64 only
  std::string worst_place = {};
  std::vector<std::string> failures = {};  // one line each
};

void Add(const Tally& from, Tally& to);

// As text that Read reads back.
void Write(const Tally& tally, std::ostream& out);
bool Read(std::istream& in, Tally& tally);

}  // namespace activation::accuracy

#endif  // ACTIVATION_TESTS_ACCURACY_EXHAUSTIVE_TALLY_H_
