#include "client/cli/values.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cfenv>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "proto/element_type.h"

namespace activation::cli {
namespace {

// Whether `read`, one of strtod's kin, takes the whole text.
template <class Read>
bool ReadWhole(const std::string& text, Read read, double& value) {
  if (text.empty() || std::isspace(static_cast<unsigned char>(text.front())) != 0) return false;
  char* end = nullptr;
  value = read(text.c_str(), &end);
  return end == text.c_str() + text.size();
}

double ReadFloat(const char* text, char** end) { return std::strtof(text, end); }
double ReadDouble(const char* text, char** end) { return std::strtod(text, end); }

// The text rounded to float64 "to odd": of the two neighbours of a number that is not a float64,
// the one whose last bit is 1. Rounding that to a type with at most 51 bits gives what rounding the
// number itself would; rounding the nearest float64 doesn't, since that can be a tie by accident.
double ReadToOdd(const char* text, char** end) {
  const int mode = std::fegetround();
  std::fesetround(FE_DOWNWARD);
  const double below = std::strtod(text, end);
  std::fesetround(FE_UPWARD);
  const double above = std::strtod(text, end);
  std::fesetround(mode);
  return (std::bit_cast<uint64_t>(below) & 1) != 0 ? below : above;
}

using Read = double (*)(const char*, char**);

Read ReaderFor(DataType type) {
  if (type == DataType::kFloat32) return ReadFloat;
  return type == DataType::kFloat64 ? ReadDouble : ReadToOdd;
}

absl::Status NotANumber(const std::string& text) {
  constexpr size_t kMaxQuoted = 60;
  return absl::InvalidArgumentError(absl::StrCat(
      "'", absl::CHexEscape(text.substr(0, kMaxQuoted)), text.size() > kMaxQuoted ? "..." : "",
      "' is not a number: write it as -5.5, 1e-3, 0x1.8p+1, inf or nan"));
}

// The shortest of the decimals with 1, 2, ... digits that comes back as the value.
template <class RoundTrip>
std::string FewestDigits(double value, RoundTrip round_trip) {
  constexpr int kEnough = 9;
  char buffer[32];
  for (int digits = 1;; ++digits) {
    const auto [end, error] = std::to_chars(std::begin(buffer), std::end(buffer), value,
                                            std::chars_format::general, digits);
    std::string text(std::begin(buffer), end);
    if (digits == kEnough || round_trip(std::strtod(text.c_str(), nullptr)) == value) return text;
  }
}

template <class Number>
std::string Shortest(Number value) {
  char buffer[32];
  const auto [end, error] = std::to_chars(std::begin(buffer), std::end(buffer), value);
  return std::string(std::begin(buffer), end);
}

}  // namespace

std::vector<std::string> DataTypeNames() {
  std::vector<std::string> names;
  names.reserve(kDataTypeCount);
  for (const ElementType& type : kElementTypes) names.emplace_back(type.name);
  return names;
}

absl::StatusOr<double> ParseNumber(const std::string& text) {
  double value = 0;
  if (!ReadWhole(text, ReadDouble, value)) return NotANumber(text);
  return value;
}

absl::StatusOr<Tensor> ParseValues(DataType type, std::span<const std::string> texts) {
  std::vector<double> values(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!ReadWhole(texts[i], ReaderFor(type), values[i])) return NotANumber(texts[i]);
  }
  return MakeTensor(type, values);
}

std::vector<std::string> SplitWords(const std::string& text) {
  return absl::StrSplit(text, absl::ByAnyChar(" \t\r\n\v\f"), absl::SkipEmpty());
}

absl::StatusOr<Parameters> ParseParameters(std::span<const std::string> texts) {
  Parameters parameters;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("parameter '", text, "': write it as name=value, for example alpha=2"));
    }
    const std::string name = text.substr(0, equals);
    absl::StatusOr<double> value = ParseNumber(text.substr(equals + 1));
    if (!value.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("parameter '", name, "': ", value.status().message()));
    }
    if (!parameters.emplace(name, *value).second) {
      return absl::InvalidArgumentError(absl::StrCat("parameter '", name, "' is given twice"));
    }
  }
  return parameters;
}

absl::StatusOr<Activation> ParseActivation(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos) return Activation{.name = text};
  const size_t colon = text.rfind(':', equals);
  if (colon == std::string::npos || colon == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", text, "': write it as name or name:parameter=value, for example elu:alpha=2"));
  }
  const std::vector<std::string> assignments = absl::StrSplit(text.substr(colon + 1), ',');
  absl::StatusOr<Parameters> parameters = ParseParameters(assignments);
  if (!parameters.ok()) return parameters.status();
  return Activation{.name = text.substr(0, colon), .parameters = *std::move(parameters)};
}

std::string FormatDecimal(DataType type, double value) {
  if (std::isnan(value)) return "nan";
  if (type == DataType::kFloat32) return Shortest(static_cast<float>(value));
  if (type == DataType::kFloat64) return Shortest(value);
  return FewestDigits(value, [type](double v) { return ToDouble(type, ToBits(type, v)); });
}

std::string FormatNumber(double value) { return FormatDecimal(DataType::kFloat64, value); }

std::string FormatHex(double value) {
  if (std::isnan(value)) return "nan";
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "%a", value);
  return buffer;
}

std::string FormatActivation(const Activation& activation) {
  const std::string& name = activation.formula.empty() ? activation.name : activation.formula;
  if (activation.parameters.empty()) return name;
  return absl::StrCat(name, ":",
                      absl::StrJoin(activation.parameters, ",",
                                    [](std::string* out, const Parameters::value_type& parameter) {
                                      absl::StrAppend(out, parameter.first, "=",
                                                      FormatNumber(parameter.second));
                                    }));
}

}  // namespace activation::cli
