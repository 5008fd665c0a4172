// Pictures of activations: their values, as the server gives them, and where GELU comes from.
#ifndef ACTIVATION_CLIENT_CLI_CURVES_H_
#define ACTIVATION_CLIENT_CLI_CURVES_H_

#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/picture.h"
#include "client/client.h"

namespace activation::cli {

// Asks the server for float64 values at evenly spaced points. Errors are the server's; a row
// function, which has no curve, is INVALID_ARGUMENT.
class Sampler {
 public:
  // from < to, both finite. Keeps a reference to the client.
  Sampler(const Client& client, double from, double to);

  absl::StatusOr<Series> Value(const Activation& activation, std::string title, int look) const;
  absl::StatusOr<Series> Derivative(const Activation& activation, std::string title,
                                    int look) const;

 private:
  const Client& client_;
  std::vector<double> x_;
};

// f on the left, f' on the right.
absl::StatusOr<Picture> FunctionPicture(const Sampler& sampler,
                                        std::span<const Activation> activations);

// Four panels: Dirac's delta as a Gaussian, for each sigma; its integral, the smooth step
// (1+erf(x/sigma))/2; x times that step; and GELU, where sigma is sqrt(2), with its derivative.
// gelu_sigma is x Phi(x/s), whose step is step_normal's where sigma = s sqrt(2).
absl::StatusOr<Picture> ChainPicture(const Sampler& sampler, std::span<const double> sigmas);

// The four deltas of the catalogue, each as wide as sigma; delta_sinc's alpha is 1/sigma.
absl::StatusOr<Picture> DeltasPicture(const Sampler& sampler, std::span<const double> sigmas);

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_CURVES_H_
