#include "client/cli/picture_type.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/substitute.h"

namespace activation::cli {
namespace {

// Per cent: in a web page pictures become as narrow as a telephone, so that text has to be larger.
constexpr int kSvgScale = 85;

struct FileType {
  PictureType type;
  std::string_view extension;
  // $0 and $1: width and height, each as `length` makes it of pixels.
  const char* terminal;
  std::string (*length)(int pixels);
};
constexpr FileType kFileTypes[] = {
    {PictureType::kPng, ".png",
     "pngcairo noenhanced size $0,$1 background '#ffffff' font 'sans,11' linewidth 1.1",
     [](int pixels) { return absl::StrCat(pixels); }},
    {PictureType::kSvg, ".svg",
     "svg noenhanced size $0,$1 dynamic background '#ffffff' font 'sans-serif,13' linewidth 1",
     [](int pixels) { return absl::StrCat(pixels * kSvgScale / 100); }},
    {PictureType::kPdf, ".pdf",
     "pdfcairo noenhanced size $0,$1 background '#ffffff' font 'sans,9' linewidth 1.4",
     [](int pixels) { return absl::StrFormat("%.2fin", pixels / 100.); }},
};

}  // namespace

absl::StatusOr<PictureType> PictureTypeOf(const std::string& path) {
  if (path.empty()) return PictureType::kText;
  const std::string lower = absl::AsciiStrToLower(path);
  for (const FileType& candidate : kFileTypes) {
    if (lower.size() > candidate.extension.size() && lower.ends_with(candidate.extension)) {
      return candidate.type;
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", path, "': a picture's name ends in .png, .svg or .pdf"));
}

std::string TerminalOf(PictureType type, int width, int height) {
  const FileType& file =
      *std::find_if(std::begin(kFileTypes), std::end(kFileTypes),
                    [type](const FileType& candidate) { return candidate.type == type; });
  return absl::Substitute(file.terminal, file.length(width), file.length(height));
}

}  // namespace activation::cli
