// What is compared with a function of the catalogue, and over what.
#ifndef ACTIVATION_SERVER_COMPARE_CANDIDATE_H_
#define ACTIVATION_SERVER_COMPARE_CANDIDATE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "server/compare/domain.h"
#include "server/engine/engine.h"

namespace activation::server {

// What every candidate of a comparison is held against.
struct Subject {
  engine::Function reference;
  engine::Quantity quantity = engine::Quantity::kValue;
  // At least one point.
  Domain domain;
};

// Computes the results of a candidate: input and output are packed arrays of the comparison's type,
// `first` the index of the first point. May be called from many threads at once.
using CandidateKernel =
    std::function<void(int64_t first, const std::byte* input, std::byte* output, size_t count)>;

struct Candidate {
  // The function of the catalogue that it is; else there is a label.
  std::optional<engine::Function> function = {};
  std::string label = {};
  CandidateKernel run = {};
  // Whether the time that it takes says something about it.
  bool is_timed = true;
};

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_COMPARE_CANDIDATE_H_
