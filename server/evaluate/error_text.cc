#include "server/evaluate/error_text.h"

#include <absl/strings/escaping.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_format.h>

#include <cmath>

#include "server/wire/limits.h"

namespace activation::server::errors {

std::string Echo(absl::string_view text) {
  const bool cut = text.size() > kMaxNameBytes;
  return absl::StrCat("\"", absl::CHexEscape(text.substr(0, kMaxNameBytes)), cut ? "..." : "",
                      "\"");
}

std::string Number(double value) {
  if (std::isnan(value)) return "nan";
  std::string text = absl::StrFormat("%.15g", value);
  double back = 0;
  if (!absl::SimpleAtod(text, &back) || back != value) text = absl::StrFormat("%.17g", value);
  return text;
}

absl::Status Make(absl::StatusCode code, std::string message) {
  if (message.size() > kMaxStatusMessageBytes) message.resize(kMaxStatusMessageBytes);
  return absl::Status(code, message);
}

}  // namespace activation::server::errors
