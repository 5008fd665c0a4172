// The kinds of file that a picture can be. A new one is a row of the table in the source.
#ifndef ACTIVATION_CLIENT_CLI_PICTURE_TYPE_H_
#define ACTIVATION_CLIENT_CLI_PICTURE_TYPE_H_

#include <string>

#include "absl/status/statusor.h"

namespace activation::cli {

enum class PictureType { kPng, kSvg, kPdf, kText };

// By the extension of the file's name: .png, .svg, .pdf; kText for no name at all. INVALID_ARGUMENT
// for another one.
absl::StatusOr<PictureType> PictureTypeOf(const std::string& path);

// gnuplot's settings for a file of this type, which is not kText, with so many pixels.
std::string TerminalOf(PictureType type, int width, int height);

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_PICTURE_TYPE_H_
