// The words and signs of a formula.
#ifndef ACTIVATION_SERVER_FORMULA_TOKENS_H_
#define ACTIVATION_SERVER_FORMULA_TOKENS_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/strings/string_view.h>

#include <cstddef>
#include <vector>

namespace activation::formula {

enum class TokenKind { kNumber, kName, kSign, kEnd };

struct Token {
  TokenKind kind;
  // A part of the formula's text; empty at the end.
  absl::string_view text;
  // From 0.
  size_t at;
};

// INVALID_ARGUMENT, "column <at + 1>: <what>".
absl::Status ErrorAt(size_t at, absl::string_view what);

// In order, the last one being kEnd.
absl::StatusOr<std::vector<Token>> Tokenize(absl::string_view text);

// Letters, digits and _, no digit first.
bool IsName(absl::string_view text);

}  // namespace activation::formula

#endif  // ACTIVATION_SERVER_FORMULA_TOKENS_H_
