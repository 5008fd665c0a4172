// NumPy's .npy files, as numpy.save writes them: format versions 1.0, 2.0 and 3.0.
//
// Element types: '<f2' is float16, '<f4' float32, '<f8' float64. NumPy has no bfloat16: its bits
// stand in a uint16 array ('<u2', or '|V2' as ml_dtypes saves it), which is read as bfloat16 only
// if that is asked for. Big-endian arrays ('>f4') are converted; so are arrays in Fortran order,
// which become row-major. Every other type is an error that names the ones that would do.
//
// Decoding takes any bytes: what is cut short, contradictory, or too large to be true is
// INVALID_ARGUMENT, and no memory is taken on the word of a header.
#ifndef ACTIVATION_CLIENT_CLI_NPY_H_
#define ACTIVATION_CLIENT_CLI_NPY_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "client/tensor.h"

namespace activation::cli {

// Whether the bytes begin as a .npy file does.
bool IsNpy(std::string_view bytes);

// The array, in the type that the file says, or in `type`, where given: then it is an error if the
// file holds another one. A 0-dimensional array has the empty shape.
absl::StatusOr<Tensor> DecodeNpy(std::string_view bytes, std::optional<DataType> type);

// A version 1.0 file; bfloat16 as uint16. The shape must be the elements' (empty: 0-dimensional).
std::string EncodeNpy(DataType type, std::span<const int64_t> shape, std::string_view data);

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_NPY_H_
