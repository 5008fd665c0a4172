// One bidirectional stream: a row of requests out, one reply to each back, both at once.
#ifndef ACTIVATION_CLIENT_EXCHANGE_H_
#define ACTIVATION_CLIENT_EXCHANGE_H_

#include <cstddef>
#include <thread>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client/reply_status.h"
#include "grpcpp/grpcpp.h"

namespace activation {

inline absl::Status WrongCount(size_t replies, size_t chunks) {
  return ReplyDoesNotFit(absl::StrCat(replies, " replies to ", chunks, " chunks"));
}

// Sends make(0) to make(count - 1), and hands the replies to take in the same order. A thread of
// its own writes, so that full buffers on the way out never keep the replies from being read: with
// one thread for both, client and server could wait for each other for ever.
//
// The status is the first of: take's error (the call is then cancelled), the server's, INTERNAL for
// another number of replies than count.
template <class Request, class Response>
absl::Status Exchange(grpc::ClientContext& context,
                      grpc::ClientReaderWriterInterface<Request, Response>& stream, size_t count,
                      absl::FunctionRef<Request(size_t)> make,
                      absl::FunctionRef<absl::Status(size_t, Response&&)> take) {
  std::thread writer([&stream, count, make] {
    for (size_t i = 0; i < count; ++i) {
      // A failed write means that the call has ended: Finish says why.
      if (!stream.Write(make(i))) return;
    }
    stream.WritesDone();
  });
  absl::Status taken;
  size_t received = 0;
  for (Response response; stream.Read(&response); ++received) {
    if (!taken.ok()) continue;
    taken =
        received < count ? take(received, std::move(response)) : WrongCount(received + 1, count);
    if (!taken.ok()) context.TryCancel();
  }
  writer.join();
  absl::Status finished = FromGrpc(stream.Finish());
  if (!taken.ok()) return taken;
  if (!finished.ok()) return finished;
  return received == count ? absl::OkStatus() : WrongCount(received, count);
}

}  // namespace activation

#endif  // ACTIVATION_CLIENT_EXCHANGE_H_
