#include "client/cli/gnuplot.h"

#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "client/cli/gnuplot_script.h"

namespace activation::cli {
namespace {

constexpr int kDefaultColumns = 80;
constexpr int kMinColumns = 40;
constexpr size_t kMaxMessage = 500;

struct Closer {
  void operator()(FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<FILE, Closer>;

// A temporary file from its beginning; read_file.h's functions open theirs, and can fail.
std::string ReadAll(FILE* file) {
  std::string bytes;
  std::rewind(file);
  std::array<char, 1 << 16> buffer;
  while (const size_t read = std::fread(buffer.data(), 1, buffer.size(), file)) {
    bytes.append(buffer.data(), read);
  }
  return bytes;
}

// The exit status of `gnuplot` with these files as its standard streams, or what stops it from
// being started. Files, and not pipes, so that neither side can wait for the other.
absl::StatusOr<int> Run(FILE* input, FILE* output, FILE* errors) {
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  posix_spawn_file_actions_adddup2(&streams, fileno(input), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&streams, fileno(output), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&streams, fileno(errors), STDERR_FILENO);
  // -d: without the user's settings.
  std::array<std::string, 3> words = {"gnuplot", "-d", "-"};
  std::array<char*, 4> arguments = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t process = 0;
  const int error =
      posix_spawnp(&process, arguments[0], &streams, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&streams);
  if (error == ENOENT) {
    return absl::FailedPreconditionError(
        "gnuplot, which draws the pictures, is not installed: apt-get install "
        "--no-install-recommends gnuplot-nox");
  }
  if (error != 0) return absl::ErrnoToStatus(error, "cannot start gnuplot");
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return absl::ErrnoToStatus(errno, "cannot wait for gnuplot");
  }
  return status;
}

int TerminalColumns() {
  winsize size = {};
  int columns = kDefaultColumns;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) columns = size.ws_col;
  return std::max(columns, kMinColumns);
}

}  // namespace

absl::StatusOr<std::string> RunGnuplot(std::string_view script) {
  const File input(std::tmpfile());
  const File output(std::tmpfile());
  const File errors(std::tmpfile());
  if (input == nullptr || output == nullptr || errors == nullptr) {
    return absl::ErrnoToStatus(errno, "cannot make a temporary file for gnuplot");
  }
  if (std::fwrite(script.data(), 1, script.size(), input.get()) != script.size() ||
      std::fflush(input.get()) != 0) {
    return absl::ErrnoToStatus(errno, "cannot write a temporary file for gnuplot");
  }
  std::rewind(input.get());
  absl::StatusOr<int> status = Run(input.get(), output.get(), errors.get());
  if (!status.ok()) return status.status();
  std::string picture = ReadAll(output.get());
  if (!WIFEXITED(*status) || WEXITSTATUS(*status) != 0 || picture.empty()) {
    const std::string message(absl::StripAsciiWhitespace(ReadAll(errors.get())));
    return absl::InternalError(absl::StrCat(
        "gnuplot failed: ", message.empty() ? "it drew nothing" : message.substr(0, kMaxMessage)));
  }
  return picture;
}

absl::StatusOr<std::string> Draw(const Picture& picture, PictureType type) {
  absl::StatusOr<std::string> drawn = RunGnuplot(GnuplotScript(picture, type, TerminalColumns()));
  if (!drawn.ok() || type != PictureType::kText) return drawn;
  // Lines come padded to the terminal's width.
  std::string text;
  for (size_t begin = 0; begin < drawn->size();) {
    const size_t end = std::min(drawn->find('\n', begin), drawn->size());
    absl::StrAppend(
        &text,
        absl::StripTrailingAsciiWhitespace(absl::string_view(*drawn).substr(begin, end - begin)),
        "\n");
    begin = end + 1;
  }
  return text;
}

}  // namespace activation::cli
