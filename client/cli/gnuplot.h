// Pictures, drawn by the program gnuplot (Debian's gnuplot-nox).
//
// gnuplot gets a script on its standard input, and reads no settings of the user.
// FAILED_PRECONDITION where it is missing, with the package to install; INTERNAL with its own
// message where it fails.
#ifndef ACTIVATION_CLIENT_CLI_GNUPLOT_H_
#define ACTIVATION_CLIENT_CLI_GNUPLOT_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "client/cli/picture.h"
#include "client/cli/picture_type.h"

namespace activation::cli {

// The file's bytes; of kText, lines as wide as the terminal (80 columns where there is none).
absl::StatusOr<std::string> Draw(const Picture& picture, PictureType type);

// What gnuplot writes for this script.
absl::StatusOr<std::string> RunGnuplot(std::string_view script);

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_GNUPLOT_H_
