// The forms of compare's report. A new one is a row of the table in the source.
#ifndef ACTIVATION_CLIENT_CLI_COMPARE_FORMATS_H_
#define ACTIVATION_CLIENT_CLI_COMPARE_FORMATS_H_

#include <span>

#include "activation/v1/activation.pb.h"
#include "client/cli/formats.h"

namespace activation::cli {

// table: one line for each report; then for each its figures, its histogram and its regions.
// csv: one line for each report; new columns only ever come last.
std::span<const Format<v1::CompareApproximationsResponse>> CompareFormats();

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_COMPARE_FORMATS_H_
