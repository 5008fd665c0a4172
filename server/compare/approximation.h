// From an Approximation message to a candidate that can be run: its validation.
#ifndef ACTIVATION_SERVER_COMPARE_APPROXIMATION_H_
#define ACTIVATION_SERVER_COMPARE_APPROXIMATION_H_

#include <absl/status/statusor.h>
#include <absl/strings/string_view.h>

#include "activation/v1/activation.pb.h"
#include "server/compare/candidate.h"

namespace activation::server {

// `field` is the path of the message, which outputs are borrowed from; `type_field` that of the
// comparison's data type.
absl::StatusOr<Candidate> MakeApproximation(absl::string_view field, absl::string_view type_field,
                                            const v1::Approximation& message,
                                            const Subject& subject);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_COMPARE_APPROXIMATION_H_
