// What every call has that works on its own thread's behalf or on a worker's: whether it was
// cancelled, and an end.
#ifndef ACTIVATION_SERVER_RPC_CALL_H_
#define ACTIVATION_SERVER_RPC_CALL_H_

#include <absl/status/status.h>

#include <atomic>

#include "server/rpc/backend.h"

namespace activation::server {

// `Reactor` is one of gRPC's. Made by new; deletes itself when gRPC is done with it.
template <typename Reactor>
class Call : public Reactor {
 public:
  void OnCancel() final { cancelled_ = true; }
  void OnDone() final { delete this; }

 protected:
  explicit Call(Backend& backend) : backend_(backend) {}
  ~Call() override = default;

  void Finish(const absl::Status& status) { Reactor::Finish(ToGrpcStatus(status)); }

  Backend& backend_;
  std::atomic<bool> cancelled_ = false;
};

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_RPC_CALL_H_
