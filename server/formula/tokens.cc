#include "server/formula/tokens.h"

#include <absl/strings/ascii.h>
#include <absl/strings/charconv.h>
#include <absl/strings/escaping.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <system_error>

namespace activation::formula {
namespace {

// A sign that begins with another one comes before it.
constexpr absl::string_view kSigns[] = {"<=", ">=", "==", "<", ">", "+", "-", "*",
                                        "/",  "^",  "(",  ")", ",", "?", ":"};
// The most of a number that a message repeats.
constexpr size_t kEchoedBytes = 64;

bool IsWordByte(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

template <typename Predicate>
size_t Count(absl::string_view text, size_t from, Predicate is_counted) {
  const auto begin = text.begin() + std::min(from, text.size());
  return std::find_if_not(begin, text.end(), is_counted) - begin;
}

// The length of the number that `text` begins with; 0 if a digit lacks.
size_t NumberLength(absl::string_view text) {
  size_t length = Count(text, 0, IsDigit);
  size_t digits = length;
  if (length < text.size() && text[length] == '.') {
    const size_t fraction = Count(text, length + 1, IsDigit);
    digits += fraction;
    length += 1 + fraction;
  }
  if (digits == 0) return 0;
  if (length == text.size() || absl::ascii_tolower(text[length]) != 'e') return length;
  size_t exponent = length + 1;
  if (exponent < text.size() && (text[exponent] == '-' || text[exponent] == '+')) ++exponent;
  const size_t exponent_digits = Count(text, exponent, IsDigit);
  return exponent_digits == 0 ? 0 : exponent + exponent_digits;
}

// Numbers too small for float64 are 0 or its least number.
bool IsTooLarge(absl::string_view number) {
  double value = 0;
  const auto result = absl::from_chars(number.data(), number.data() + number.size(), value);
  return result.ec == std::errc::result_out_of_range && std::abs(value) > 1;
}

absl::StatusOr<Token> NextToken(absl::string_view text, size_t at) {
  const absl::string_view rest = text.substr(at);
  if (IsDigit(rest[0]) || rest[0] == '.') {
    const absl::string_view number = rest.substr(0, NumberLength(rest));
    if (number.empty()) {
      return ErrorAt(at, "a number needs a digit, and one after its e, as in 1.5 or 1.5e-3");
    }
    if (IsTooLarge(number)) {
      return ErrorAt(at, absl::StrCat("'", number.substr(0, kEchoedBytes),
                                      number.size() > kEchoedBytes ? "..." : "",
                                      "' is beyond the range of float64, 1.8e308"));
    }
    return Token{TokenKind::kNumber, number, at};
  }
  if (IsWordByte(rest[0])) {
    return Token{TokenKind::kName, rest.substr(0, Count(rest, 0, IsWordByte)), at};
  }
  for (const absl::string_view sign : kSigns) {
    if (absl::StartsWith(rest, sign)) {
      return Token{TokenKind::kSign, rest.substr(0, sign.size()), at};
    }
  }
  return ErrorAt(at, absl::StrCat("'", absl::CHexEscape(rest.substr(0, 1)),
                                  "' has no meaning; a formula has numbers, names, "
                                  "+ - * / ^ ( ) , ? : < <= > >= =="));
}

}  // namespace

absl::Status ErrorAt(size_t at, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("column ", at + 1, ": ", what));
}

absl::StatusOr<std::vector<Token>> Tokenize(absl::string_view text) {
  std::vector<Token> tokens;
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  for (size_t at = Count(text, 0, is_space); at < text.size(); at += Count(text, at, is_space)) {
    absl::StatusOr<Token> token = NextToken(text, at);
    if (!token.ok()) return token.status();
    at += token->text.size();
    tokens.push_back(*token);
  }
  tokens.push_back({TokenKind::kEnd, {}, text.size()});
  return tokens;
}

bool IsName(absl::string_view text) {
  return !text.empty() && !IsDigit(text[0]) && std::all_of(text.begin(), text.end(), IsWordByte);
}

}  // namespace activation::formula
