#include "client/read_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>

#include "absl/strings/str_cat.h"

namespace activation {

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const auto error = [&path] {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot read '", path, "'"));
  };
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (file == nullptr) return error();
  std::string bytes;
  size_t filled = 0;
  do {
    constexpr size_t kFirstPiece = 64 << 10;
    bytes.resize(std::max(kFirstPiece, 2 * filled));
    filled += std::fread(bytes.data() + filled, 1, bytes.size() - filled, file.get());
  } while (filled == bytes.size());
  if (std::ferror(file.get()) != 0) return error();
  bytes.resize(filled);
  return bytes;
}

}  // namespace activation
