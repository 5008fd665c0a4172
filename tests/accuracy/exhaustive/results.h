// The file of results: a line for each activation, quantity, mode and instruction set, in columns
// separated by tabs under a line of their names.
#ifndef ACTIVATION_TESTS_ACCURACY_EXHAUSTIVE_RESULTS_H_
#define ACTIVATION_TESTS_ACCURACY_EXHAUSTIVE_RESULTS_H_

#include <string>

#include "absl/status/status.h"
#include "tests/accuracy/exhaustive/proof.h"
#include "tests/accuracy/exhaustive/tally.h"

namespace activation::accuracy {

// What a result is of, in words without tabs.
struct Origin {
  std::string revision = "not recorded";
  std::string machine = "not recorded";
  std::string sources = "not recorded";  // the engine's, as a hash
};

// Puts a finished run into the file, in place of the line of an earlier one. Lines are sorted. The
// file is made if there is none.
absl::Status Record(const std::string& path, const Job& job, const std::string& target,
                    const Tally& tally, const Origin& origin = {});

}  // namespace activation::accuracy

#endif  // ACTIVATION_TESTS_ACCURACY_EXHAUSTIVE_RESULTS_H_
