// Where the server listens: "host:port", "[ipv6]:port" or "unix:/path", checked.
#ifndef ACTIVATION_SERVER_PROCESS_LISTEN_ADDRESS_H_
#define ACTIVATION_SERVER_PROCESS_LISTEN_ADDRESS_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/strings/string_view.h>

#include <string>

namespace activation::server {

class ListenAddress {
 public:
  // A port is 0 to 65535, 0 meaning any free one; a path is at most 107 bytes, as the kernel has
  // it.
  static absl::StatusOr<ListenAddress> Parse(absl::string_view text);

  // Whether it is a unix socket.
  bool is_unix() const { return !path_.empty(); }

  // As gRPC takes it, and with the port that was given instead of 0.
  std::string ToString() const { return ToString(port_); }
  std::string ToString(int bound_port) const;

  // Makes sure that no other server listens on a unix socket, since gRPC would replace its file
  // without asking. A file that a dead server left behind is fine; one that is no socket is
  // refused.
  absl::Status CheckUnclaimed() const;

 private:
  std::string host_;  // An IPv6 address has its brackets.
  int port_ = 0;
  std::string path_;
};

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_PROCESS_LISTEN_ADDRESS_H_
