// A client of the activation service. This header is the manual; options.h has the settings with
// their defaults, tensor.h the tensors, requests.h what is asked and answered.
//
//   absl::StatusOr<activation::Client> client = activation::Client::Make({.target = "host:50051"});
//   std::vector<float> x = {-5.5f, 0.5f};
//   absl::StatusOr<std::vector<float>> y = client->Evaluate("gelu", x);
//   absl::StatusOr<std::vector<float>> e = client->Evaluate("elu", x, {{"alpha", 2.0}});
//
// What the functions compute, and how exactly, stands in activation/v1/activation.proto; results
// arrive bit by bit as the server sent them.
//
// Errors are the server's own codes and messages (the proto lists them per RPC), and
//   INVALID_ARGUMENT    also: a Tensor whose data does not fit its type and shape; nothing was sent
//   DEADLINE_EXCEEDED   ClientOptions::timeout passed
//   UNAVAILABLE         no server answered, in as many attempts as ClientOptions::retry allows
//   INTERNAL            the server's reply does not fit the request
//
// Tensors of any size: above ClientOptions::chunk_bytes they are split into chunks, streamed with
// sending and receiving overlapped, and joined again. Memory: request and result once each, a few
// chunks, and what is kept for a retry (at most max_message_bytes). Where values go along an axis,
// or Activation::axis is given, a chunk holds that axis and those after it whole, however large
// that is. A row function without Activation::axis, whose last axis alone is more than a chunk, is
// INVALID_ARGUMENT.
#ifndef ACTIVATION_CLIENT_CLIENT_H_
#define ACTIVATION_CLIENT_CLIENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "activation/v1/activation.pb.h"
#include "client/options.h"
#include "client/requests.h"
#include "client/tensor.h"

namespace activation {

// Copies share one connection, which is made by the first call and made again when it is lost. All
// functions may be called from many threads at once.
class Client {
 public:
  // Reads the TLS files and checks the options; does not connect. INVALID_ARGUMENT names the option
  // at fault; a file that can't be read gives the code for its errno.
  static absl::StatusOr<Client> Make(ClientOptions options = {});

  // f of each x, and f' of each x.
  absl::StatusOr<std::vector<float>> Evaluate(std::string_view name, std::span<const float> x,
                                              const Parameters& parameters = {}) const;
  absl::StatusOr<std::vector<double>> Evaluate(std::string_view name, std::span<const double> x,
                                               const Parameters& parameters = {}) const;
  absl::StatusOr<std::vector<float>> Gradient(std::string_view name, std::span<const float> x,
                                              const Parameters& parameters = {}) const;
  absl::StatusOr<std::vector<double>> Gradient(std::string_view name, std::span<const double> x,
                                               const Parameters& parameters = {}) const;

  // f of each element, or of each element plus its bias, of the input's type, rounded once to
  // output_type (default: the input's type). The input is moved from, if the caller lets it, and
  // not copied then.
  absl::StatusOr<EvaluateResult> Evaluate(const Activation& activation, Tensor input,
                                          std::optional<DataType> output_type = {},
                                          const std::optional<AxisTensor>& bias = {}) const;

  // f' of each element, and what else the request asks for.
  absl::StatusOr<GradientResult> Gradient(GradientRequest request) const;

  // How far candidates are from a reference, over a domain. One message each way.
  absl::StatusOr<v1::CompareApproximationsResponse> Compare(
      const v1::CompareApproximationsRequest& request) const;

  // The same over a stream, which has room for more points: on_progress is called a few times each
  // second, in this thread. A request to stop cancels the call, here and at the server: CANCELLED.
  absl::StatusOr<v1::CompareApproximationsResponse> Compare(
      const v1::CompareApproximationsRequest& request,
      const std::function<void(const v1::CompareProgress&)>& on_progress,
      const std::stop_token& stop = {}) const;

  // The catalogue.
  absl::StatusOr<v1::ListActivationsResponse> List() const;

  // Version, instruction set and limits of the server.
  absl::StatusOr<v1::GetServerInfoResponse> Info() const;

  // OK where the server says SERVING for this service ("" for the server as a whole), UNAVAILABLE
  // where it says otherwise, NOT_FOUND for a service that it doesn't know. Never retried.
  absl::Status Health(std::string_view service = "") const;

 private:
  struct Connection;
  explicit Client(std::shared_ptr<const Connection> connection);

  std::shared_ptr<const Connection> connection_;
};

}  // namespace activation

#endif  // ACTIVATION_CLIENT_CLIENT_H_
