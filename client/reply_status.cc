#include "client/reply_status.h"

#include "absl/strings/str_cat.h"

namespace activation {

absl::Status FromGrpc(const grpc::Status& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

absl::Status ReplyDoesNotFit(absl::string_view reason) {
  return absl::InternalError(absl::StrCat("the server's reply does not fit the request: ", reason));
}

}  // namespace activation
