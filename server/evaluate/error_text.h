// How the sentences of errors.h are put together.
#ifndef ACTIVATION_SERVER_EVALUATE_ERROR_TEXT_H_
#define ACTIVATION_SERVER_EVALUATE_ERROR_TEXT_H_

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/string_view.h>

#include <string>

namespace activation::server::errors {

// A client's text in quotes: escaped, and cut after kMaxNameBytes.
std::string Echo(absl::string_view text);

// The shortest decimal that is this float64.
std::string Number(double value);

// Cuts the message after kMaxStatusMessageBytes.
absl::Status Make(absl::StatusCode code, std::string message);

template <typename... Parts>
absl::Status Invalid(const Parts&... parts) {
  return Make(absl::StatusCode::kInvalidArgument, absl::StrCat(parts...));
}

}  // namespace activation::server::errors

#endif  // ACTIVATION_SERVER_EVALUATE_ERROR_TEXT_H_
