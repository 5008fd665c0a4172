#include "server/process/listen_address.h"

#include <absl/cleanup/cleanup.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/strip.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace activation::server {
namespace {

constexpr int kMaxPort = 65'535;
constexpr size_t kMaxPathBytes = sizeof(sockaddr_un{}.sun_path) - 1;

absl::Status Wrong(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, "; it must be host:port, [ipv6]:port or unix:/path"));
}

}  // namespace

absl::StatusOr<ListenAddress> ListenAddress::Parse(absl::string_view text) {
  ListenAddress result;
  absl::string_view rest = text;
  if (absl::ConsumePrefix(&rest, "unix:")) {
    if (rest.empty()) return Wrong("the path is missing");
    if (rest.size() > kMaxPathBytes) {
      return Wrong(absl::StrCat("the path has ", rest.size(), " bytes, more than ", kMaxPathBytes));
    }
    result.path_.assign(rest.data(), rest.size());
    return result;
  }
  const size_t colon = rest.rfind(':');
  if (colon == absl::string_view::npos) return Wrong("the port is missing");
  const absl::string_view host = rest.substr(0, colon);
  const absl::string_view port = rest.substr(colon + 1);
  if (host.empty()) return Wrong("the host is missing (0.0.0.0 is every interface)");
  const bool brackets = host.front() == '[' && host.back() == ']';
  if (!brackets && host.find_first_of(":[]/") != absl::string_view::npos) {
    return Wrong("the host is not a name, an IPv4 address or an IPv6 address in brackets");
  }
  if (!absl::SimpleAtoi(port, &result.port_) || result.port_ < 0 || result.port_ > kMaxPort) {
    return Wrong(absl::StrCat("the port is not a number from 0 to ", kMaxPort));
  }
  result.host_.assign(host.data(), host.size());
  return result;
}

std::string ListenAddress::ToString(int bound_port) const {
  return is_unix() ? absl::StrCat("unix:", path_) : absl::StrCat(host_, ":", bound_port);
}

absl::Status ListenAddress::CheckUnclaimed() const {
  struct stat file;
  if (!is_unix() || (lstat(path_.c_str(), &file) != 0 && errno == ENOENT)) return absl::OkStatus();
  if (!S_ISSOCK(file.st_mode)) {
    return absl::AlreadyExistsError("a file that is no socket has that name");
  }
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return absl::ErrnoToStatus(errno, "can't make a unix socket");
  const absl::Cleanup closer = [probe] { close(probe); };
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path_.data(), path_.size());
  if (connect(probe, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) {
    return absl::AlreadyExistsError("another server listens there");
  }
  if (errno == ECONNREFUSED) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, "can't tell whether another server listens there");
}

}  // namespace activation::server
