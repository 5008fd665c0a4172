// One unary call, and the deadline of any call.
#ifndef ACTIVATION_CLIENT_CALL_H_
#define ACTIVATION_CLIENT_CALL_H_

#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client/options.h"
#include "client/reply_status.h"
#include "grpcpp/grpcpp.h"

namespace activation {

// Starts the clock of options.timeout.
inline absl::Time DeadlineFromNow(const ClientOptions& options) {
  return absl::Now() + options.timeout;
}

inline void SetDeadline(absl::Time deadline, grpc::ClientContext& context) {
  if (deadline < absl::InfiniteFuture()) context.set_deadline(absl::ToChronoTime(deadline));
}

template <class Response, class Request, class Stub>
absl::StatusOr<Response> Call(const ClientOptions& options, Stub& stub,
                              grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                           Response*),
                              const Request& request) {
  grpc::ClientContext context;
  SetDeadline(DeadlineFromNow(options), context);
  Response response;
  const grpc::Status status = (stub.*method)(&context, request, &response);
  if (!status.ok()) return FromGrpc(status);
  return response;
}

}  // namespace activation

#endif  // ACTIVATION_CLIENT_CALL_H_
