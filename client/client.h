// A client of the activation service. This header is the manual; options.h has the settings with
// their defaults, tensor.h the tensors.
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
// chunks, and what is kept for a retry (at most max_message_bytes).
#ifndef ACTIVATION_CLIENT_CLIENT_H_
#define ACTIVATION_CLIENT_CLIENT_H_

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "activation/v1/activation.pb.h"
#include "client/options.h"
#include "client/tensor.h"

namespace activation {

// By name. A parameter that is left out has its default.
using Parameters = std::map<std::string, double>;

// A function of the catalogue: canonical name or alias, and parameters. In a result: the canonical
// name and all parameters.
struct Activation {
  std::string name;
  Parameters parameters = {};
};

struct EvaluateResult {
  Activation activation = {};
  // f(x), in the shape of the input.
  Tensor output = {};
};

struct GradientRequest {
  Activation activation = {};
  Tensor input = {};
  // Type of gradient and value. Default: the input's.
  std::optional<DataType> output_type = std::nullopt;
  // Each gradient is multiplied with this one's element; of the input's type and size.
  std::optional<Tensor> upstream = std::nullopt;
  bool return_value = false;
  bool return_parameter_gradients = false;
};

struct GradientResult {
  Activation activation = {};
  // f'(x) or upstream * f'(x), in the shape of the input.
  Tensor gradient = {};
  // f(x), where asked for.
  std::optional<Tensor> value = std::nullopt;
  // Where asked for: for each parameter, the sum over the elements of upstream * df/dp.
  Parameters parameter_gradients = {};
};

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

  // f of each element, rounded once to output_type (default: the input's type). The input is moved
  // from, if the caller lets it, and not copied then.
  absl::StatusOr<EvaluateResult> Evaluate(const Activation& activation, Tensor input,
                                          std::optional<DataType> output_type = {}) const;

  // f' of each element, and what else the request asks for.
  absl::StatusOr<GradientResult> Gradient(GradientRequest request) const;

  // How far candidates are from a reference, over a domain. One message each way.
  absl::StatusOr<v1::CompareApproximationsResponse> Compare(
      const v1::CompareApproximationsRequest& request) const;

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
