// The request that compare's options make.
#ifndef ACTIVATION_CLIENT_CLI_COMPARE_REQUEST_H_
#define ACTIVATION_CLIENT_CLI_COMPARE_REQUEST_H_

#include "absl/status/statusor.h"
#include "activation/v1/activation.pb.h"
#include "client/cli/compare_options.h"

namespace activation::cli {

// Reads the files. INVALID_ARGUMENT names the option or the file at fault.
absl::StatusOr<v1::CompareApproximationsRequest> MakeCompareRequest(const CompareOptions& options);

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_COMPARE_REQUEST_H_
