// The curves and histograms of a comparison.
#ifndef ACTIVATION_CLIENT_CLI_COMPARE_PICTURE_H_
#define ACTIVATION_CLIENT_CLI_COMPARE_PICTURE_H_

#include <string>

#include "activation/v1/activation.pb.h"
#include "client/cli/picture.h"

namespace activation::cli {

// How many points of a curve a picture asks the server for.
inline constexpr int kCurvePoints = 2'000;

// For each report, whose curve was asked for, a row of three panels: the signed error with its
// worst point, the absolute error on a logarithmic scale, and the histogram of errors in ULP.
Picture ComparePicture(const v1::CompareApproximationsResponse& response, std::string title);

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_COMPARE_PICTURE_H_
