// The header of a .npy file: a Python dictionary literal with three keys.
#ifndef ACTIVATION_CLIENT_CLI_NPY_HEADER_H_
#define ACTIVATION_CLIENT_CLI_NPY_HEADER_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace activation::cli {

struct NpyHeader {
  // NumPy's type string, as "<f4".
  std::string descr;
  bool fortran_order = false;
  // Each extent >= 0.
  std::vector<int64_t> shape;
};

// Parses the dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } in any order
// of keys, followed by white space only. INVALID_ARGUMENT says what was expected where.
absl::StatusOr<NpyHeader> ParseNpyHeader(std::string_view text);

// The dictionary as numpy.save writes it.
std::string FormatNpyHeader(const std::string& descr, std::span<const int64_t> shape);

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_NPY_HEADER_H_
