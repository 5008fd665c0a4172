#include "client/cli/compare_request.h"

#include <cctype>
#include <filesystem>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/cli/input_tensor.h"
#include "client/cli/options.h"
#include "client/cli/values.h"
#include "client/convert.h"
#include "client/read_file.h"
#include "google/protobuf/util/json_util.h"

namespace activation::cli {
namespace {

// The contract's limit for a label.
constexpr size_t kMaxLabel = 64;
constexpr int64_t kDefaultPoints = 100'001;

absl::StatusOr<double> NumberOf(const char* option, const std::string& text, double otherwise) {
  return text.empty() ? otherwise : ParseNumberOf(option, text);
}

template <class Integer>
absl::StatusOr<Integer> WholeNumber(const char* option, const std::string& text,
                                    Integer otherwise) {
  Integer number = otherwise;
  if (text.empty() || absl::SimpleAtoi(text, &number)) return number;
  return absl::InvalidArgumentError(absl::StrCat(option, " '", text, "' is not a whole number"));
}

absl::StatusOr<std::vector<double>> NumbersOf(const char* option, const std::string& text) {
  std::vector<double> numbers;
  for (const absl::string_view word : absl::StrSplit(text, ',')) {
    absl::StatusOr<double> number = ParseNumberOf(option, static_cast<std::string>(word));
    if (!number.ok()) return number.status();
    numbers.push_back(*number);
  }
  return numbers;
}

absl::Status SetGrid(const CompareOptions& options, v1::Grid& grid) {
  absl::StatusOr<double> from = NumberOf("--from", options.from, -10);
  if (!from.ok()) return from.status();
  absl::StatusOr<double> to = NumberOf("--to", options.to, 10);
  if (!to.ok()) return to.status();
  absl::StatusOr<int64_t> points = WholeNumber("--points", options.points, kDefaultPoints);
  if (!points.ok()) return points.status();
  grid.set_from(*from);
  grid.set_to(*to);
  grid.set_points(*points);
  return absl::OkStatus();
}

absl::Status SetEveryValue(const CompareOptions& options, v1::EveryValue& every) {
  absl::StatusOr<double> from = NumberOf("--from", options.from, 0);
  if (!from.ok()) return from.status();
  absl::StatusOr<double> to = NumberOf("--to", options.to, 0);
  if (!to.ok()) return to.status();
  if (!options.from.empty()) every.set_from(*from);
  if (!options.to.empty()) every.set_to(*to);
  return absl::OkStatus();
}

absl::Status SetNormal(const CompareOptions& options, v1::NormalDistribution& normal) {
  absl::StatusOr<std::vector<double>> numbers = NumbersOf("--normal", options.normal);
  if (!numbers.ok()) return numbers.status();
  if (numbers->size() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("--normal '", options.normal,
                     "': mean and standard deviation are needed, for example --normal 0,1"));
  }
  absl::StatusOr<int64_t> points = WholeNumber("--points", options.points, kDefaultPoints);
  if (!points.ok()) return points.status();
  absl::StatusOr<uint64_t> seed = WholeNumber<uint64_t>("--seed", options.seed, 0);
  if (!seed.ok()) return seed.status();
  normal.set_mean((*numbers)[0]);
  normal.set_standard_deviation((*numbers)[1]);
  normal.set_points(*points);
  normal.set_seed(*seed);
  return absl::OkStatus();
}

// Reads a points file's type into `type`, where the command line gives none.
absl::Status SetDomain(const CompareOptions& options, std::optional<DataType>& type,
                       v1::CompareApproximationsRequest& request) {
  if (options.every_value) return SetEveryValue(options, *request.mutable_every_value());
  if (!options.normal.empty()) return SetNormal(options, *request.mutable_normal());
  if (options.points_file.empty()) return SetGrid(options, *request.mutable_grid());
  absl::StatusOr<InputTensor> points = ReadInput(options.points_file, type, DataType::kFloat64);
  if (!points.ok()) return points.status();
  type = points->tensor.type;
  *request.mutable_points() = ToProto(std::move(points->tensor));
  return absl::OkStatus();
}

// Whether the name stands in the expression as a word of its own.
bool Mentions(const std::string& expression, const std::string& name) {
  const auto is_word = [&](size_t i) {
    return i < expression.size() &&
           (std::isalnum(static_cast<unsigned char>(expression[i])) != 0 || expression[i] == '_');
  };
  for (size_t at = expression.find(name); at != std::string::npos;
       at = expression.find(name, at + 1)) {
    if ((at == 0 || !is_word(at - 1)) && !is_word(at + name.size())) return true;
  }
  return false;
}

absl::Status AddFormulas(const CompareOptions& options, v1::CompareApproximationsRequest& request) {
  absl::StatusOr<Parameters> parameters = ParseParameters(options.formula_parameters);
  if (!parameters.ok()) return OptionError("--formula-param", parameters.status());
  std::map<std::string, bool> used;
  for (const std::string& expression : options.formulas) {
    v1::Formula& formula = *request.add_approximations()->mutable_formula();
    formula.set_expression(expression);
    formula.set_arithmetic(ToProto(FindDataType(options.arithmetic)));
    formula.set_fused_multiply_add(options.fused);
    for (const auto& [name, value] : *parameters) {
      if (!Mentions(expression, name)) continue;
      (*formula.mutable_parameters())[name] = value;
      used[name] = true;
    }
  }
  for (const auto& [name, value] : *parameters) {
    if (!used[name]) {
      return absl::InvalidArgumentError(
          absl::StrCat("--formula-param '", name, "' stands in no --formula"));
    }
  }
  return absl::OkStatus();
}

absl::Status AddPresets(const CompareOptions& options, v1::CompareApproximationsRequest& request) {
  for (const std::string& text : options.presets) {
    absl::StatusOr<Activation> preset = ParseActivation(text);
    if (!preset.ok()) return OptionError("--preset", preset.status());
    v1::Preset& message = *request.add_approximations()->mutable_preset();
    message.set_name(preset->name);
    message.mutable_parameters()->insert(preset->parameters.begin(), preset->parameters.end());
  }
  return absl::OkStatus();
}

std::string LabelOf(const std::string& path) {
  return std::filesystem::path(path).filename().string().substr(0, kMaxLabel);
}

absl::Status AddTables(const CompareOptions& options, v1::CompareApproximationsRequest& request) {
  for (const std::string& path : options.table_files) {
    absl::StatusOr<std::string> json = ReadFile(path);
    if (!json.ok()) return json.status();
    v1::Approximation& approximation = *request.add_approximations();
    approximation.set_label(LabelOf(path));
    const auto status =
        google::protobuf::util::JsonStringToMessage(*json, approximation.mutable_table());
    if (!status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", path, "': not a table, as {\"knots\": [0, 1], \"values\": [0, 0.84]}: ",
                       absl::CHexEscape(static_cast<std::string>(status.message()))));
    }
  }
  return absl::OkStatus();
}

absl::Status AddOutputs(const CompareOptions& options, std::optional<DataType>& type,
                        v1::CompareApproximationsRequest& request) {
  for (const std::string& path : options.output_files) {
    absl::StatusOr<InputTensor> outputs = ReadInput(path, type, DataType::kFloat64);
    if (!outputs.ok()) return outputs.status();
    type = outputs->tensor.type;
    v1::Approximation& approximation = *request.add_approximations();
    approximation.set_label(LabelOf(path));
    *approximation.mutable_outputs() = ToProto(std::move(outputs->tensor));
  }
  return absl::OkStatus();
}

absl::Status AddCandidates(const CompareOptions& options, std::optional<DataType>& type,
                           v1::CompareApproximationsRequest& request) {
  for (const std::string& text : options.candidates) {
    absl::StatusOr<Activation> candidate = ParseActivation(text);
    if (!candidate.ok()) return candidate.status();
    *request.add_candidates() = ToProto(*candidate);
  }
  absl::Status status = AddFormulas(options, request);
  if (status.ok()) status = AddPresets(options, request);
  if (status.ok()) status = AddTables(options, request);
  if (status.ok()) status = AddOutputs(options, type, request);
  return status;
}

}  // namespace

absl::StatusOr<v1::CompareApproximationsRequest> MakeCompareRequest(const CompareOptions& options) {
  v1::CompareApproximationsRequest request;
  absl::StatusOr<Parameters> parameters = ParseParameters(options.parameters);
  if (!parameters.ok()) return parameters.status();
  *request.mutable_reference() = ToProto(Activation{options.name, *std::move(parameters)});
  std::optional<DataType> type = FindDataType(options.type);
  absl::Status status = SetDomain(options, type, request);
  if (status.ok()) status = AddCandidates(options, type, request);
  if (!status.ok()) return status;
  if (!options.regions.empty()) {
    absl::StatusOr<std::vector<double>> bounds = NumbersOf("--regions", options.regions);
    if (!bounds.ok()) return bounds.status();
    request.mutable_region_bounds()->Assign(bounds->begin(), bounds->end());
  }
  request.set_data_type(ToProto(type));
  if (options.derivative) request.set_quantity(v1::QUANTITY_DERIVATIVE);
  return request;
}

}  // namespace activation::cli
