// Pictures, drawn by the program gnuplot (Debian's gnuplot-nox).
//
// gnuplot gets a script on its standard input, in which all text is quoted and none is interpreted,
// and reads no settings of the user. FAILED_PRECONDITION where it is missing, with the package to
// install; INTERNAL with its own message where it fails.
#ifndef ACTIVATION_CLIENT_CLI_GNUPLOT_H_
#define ACTIVATION_CLIENT_CLI_GNUPLOT_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "client/cli/picture.h"

namespace activation::cli {

enum class PictureType { kPng, kSvg, kPdf, kText };

// By the extension of the file's name: .png, .svg, .pdf; kText for no name at all. INVALID_ARGUMENT
// for another one.
absl::StatusOr<PictureType> PictureTypeOf(const std::string& path);

// The file's bytes; of kText, lines as wide as the terminal (80 columns where there is none).
absl::StatusOr<std::string> Draw(const Picture& picture, PictureType type);

// What gnuplot reads for it; `text_columns` is the width of kText. Exposed for tests.
std::string GnuplotScript(const Picture& picture, PictureType type, int text_columns);

// What gnuplot writes for this script.
absl::StatusOr<std::string> RunGnuplot(std::string_view script);

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_GNUPLOT_H_
