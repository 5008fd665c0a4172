#include "client/read_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>

#include "absl/strings/str_cat.h"

namespace activation {
namespace {

absl::Status CannotRead(const std::string& name) {
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", name));
}

absl::StatusOr<std::string> ReadAll(FILE* file, const std::string& name) {
  constexpr size_t kFirstPiece = 64 << 10;
  std::string bytes;
  size_t filled = 0;
  do {
    bytes.resize(std::max(kFirstPiece, 2 * filled));
    filled += std::fread(bytes.data() + filled, 1, bytes.size() - filled, file);
  } while (filled == bytes.size());
  if (std::ferror(file) != 0) return CannotRead(name);
  bytes.resize(filled);
  return bytes;
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const std::string name = absl::StrCat("'", path, "'");
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (file == nullptr) return CannotRead(name);
  return ReadAll(file.get(), name);
}

absl::StatusOr<std::string> ReadStandardInput() { return ReadAll(stdin, "standard input"); }

}  // namespace activation
