// From a comparison's domain to points that can be made: its validation.
#ifndef ACTIVATION_SERVER_COMPARE_MAKE_DOMAIN_H_
#define ACTIVATION_SERVER_COMPARE_MAKE_DOMAIN_H_

#include <absl/status/statusor.h>
#include <absl/strings/string_view.h>

#include <cstdint>

#include "activation/v1/activation.pb.h"
#include "proto/element_type.h"
#include "server/compare/domain.h"

namespace activation::server {

// Errors name fields with `prefix` before them. At most `max_points`; what is given is borrowed
// from the request.
absl::StatusOr<Domain> MakeDomain(absl::string_view prefix,
                                  const v1::CompareApproximationsRequest& request, DataType type,
                                  int64_t max_points);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_COMPARE_MAKE_DOMAIN_H_
