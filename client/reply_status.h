// How a call ended, as a status.
#ifndef ACTIVATION_CLIENT_REPLY_STATUS_H_
#define ACTIVATION_CLIENT_REPLY_STATUS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "grpcpp/support/status.h"

namespace activation {

// The server's code and message.
absl::Status FromGrpc(const grpc::Status& status);

// INTERNAL: the server's reply does not fit the request, for this reason.
absl::Status ReplyDoesNotFit(absl::string_view reason);

}  // namespace activation

#endif  // ACTIVATION_CLIENT_REPLY_STATUS_H_
