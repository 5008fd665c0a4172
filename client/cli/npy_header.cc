#include "client/cli/npy_header.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace activation::cli {
namespace {

// NumPy's own most, so that no honest file has more.
constexpr size_t kMaxRank = 32;

// A cursor over the literal. Each Take consumes what it names, white space before it included, or
// consumes nothing and says so.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  size_t position() const { return position_; }

  bool Take(std::string_view token) {
    SkipSpace();
    if (text_.substr(position_, token.size()) != token) return false;
    position_ += token.size();
    return true;
  }

  // A quoted string without escapes.
  std::optional<std::string> TakeString() {
    SkipSpace();
    if (position_ >= text_.size()) return std::nullopt;
    const char quote = text_[position_];
    if (quote != '\'' && quote != '"') return std::nullopt;
    const size_t end = text_.find(quote, position_ + 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view content = text_.substr(position_ + 1, end - position_ - 1);
    if (content.find('\\') != std::string_view::npos) return std::nullopt;
    position_ = end + 1;
    return std::string(content);
  }

  // A non-negative integer below 2^63.
  std::optional<int64_t> TakeInteger() {
    SkipSpace();
    const char* begin = text_.data() + position_;
    int64_t value = 0;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) return std::nullopt;
    position_ += static_cast<size_t>(end - begin);
    return value;
  }

  bool AtEnd() {
    SkipSpace();
    return position_ == text_.size();
  }

 private:
  void SkipSpace() {
    position_ = std::min(text_.find_first_not_of(" \t\r\n", position_), text_.size());
  }

  std::string_view text_;
  size_t position_ = 0;
};

// (), (3,), (3, 4), (3, 4,); NumPy on Python 2 wrote (3L, 4L).
std::optional<std::vector<int64_t>> TakeShape(Scanner& scanner) {
  std::vector<int64_t> shape;
  if (!scanner.Take("(")) return std::nullopt;
  while (!scanner.Take(")")) {
    const std::optional<int64_t> extent = scanner.TakeInteger();
    if (!extent.has_value() || shape.size() == kMaxRank) return std::nullopt;
    shape.push_back(*extent);
    scanner.Take("L");
    if (scanner.Take(",")) continue;
    // Without a comma, (3) is no tuple.
    if (shape.size() < 2 || !scanner.Take(")")) return std::nullopt;
    break;
  }
  return shape;
}

}  // namespace

absl::StatusOr<NpyHeader> ParseNpyHeader(std::string_view text) {
  Scanner scanner(text);
  const auto expected = [&scanner](const char* what) {
    return absl::InvalidArgumentError(
        absl::StrCat("malformed .npy header: ", what, " expected at byte ", scanner.position()));
  };
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<int64_t>> shape;
  if (!scanner.Take("{")) return expected("{");
  while (!scanner.Take("}")) {
    const std::optional<std::string> key = scanner.TakeString();
    if (!key.has_value()) return expected("a quoted key");
    if (!scanner.Take(":")) return expected(":");
    if (*key == "descr" && !descr.has_value()) {
      descr = scanner.TakeString();
      if (!descr.has_value()) return expected("a quoted type (records are not supported)");
    } else if (*key == "fortran_order" && !fortran_order.has_value()) {
      if (scanner.Take("True")) {
        fortran_order = true;
      } else if (scanner.Take("False")) {
        fortran_order = false;
      } else {
        return expected("True or False");
      }
    } else if (*key == "shape" && !shape.has_value()) {
      shape = TakeShape(scanner);
      if (!shape.has_value()) return expected("a tuple of at most 32 extents from 0 to 2^63 - 1");
    } else {
      return expected("each of 'descr', 'fortran_order' and 'shape' once");
    }
    if (scanner.Take(",")) continue;
    if (scanner.Take("}")) break;
    return expected(", or }");
  }
  if (!scanner.AtEnd()) return expected("the end");
  if (!descr.has_value() || !fortran_order.has_value() || !shape.has_value()) {
    return expected("each of 'descr', 'fortran_order' and 'shape' once");
  }
  return NpyHeader{.descr = *descr, .fortran_order = *fortran_order, .shape = *shape};
}

std::string FormatNpyHeader(const std::string& descr, std::span<const int64_t> shape) {
  return absl::StrCat("{'descr': '", descr, "', 'fortran_order': False, 'shape': (",
                      absl::StrJoin(shape, ", "), shape.size() == 1 ? ",), }" : "), }");
}

}  // namespace activation::cli
