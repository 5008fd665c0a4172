#include "server/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "proto/tensor_codec.h"
#include "server/describe.h"
#include "server/engine/packed.h"

namespace activation::server {
namespace {

// Binary formats: bits of the significand, the leading one included, and the least exponent of a
// normal number.
struct Format {
  int precision;
  int least_exponent;
};
constexpr Format kFormats[engine::kDataTypeCount] = {{24, -126}, {53, -1022}, {11, -14}, {8, -126}};

// log2 of the spacing of a type's numbers in the binade of hi + lo, not below its least.
int SpacingExponent(engine::DataType type, double hi, double lo) {
  const Format& format = kFormats[static_cast<int>(type)];
  int exponent = format.least_exponent;
  if (hi != 0) {
    int frexp_exponent = 0;
    const bool is_power_of_two = std::fabs(std::frexp(hi, &frexp_exponent)) == 0.5;
    // Just below a power of two is the binade below it.
    const bool is_below = is_power_of_two && lo != 0 && std::signbit(lo) != std::signbit(hi);
    exponent = std::max(exponent, frexp_exponent - 1 - (is_below ? 1 : 0));
  }
  return exponent - (format.precision - 1);
}

// The i-th of n >= 2 evenly spaced points: the ends exact, the others within 1 ULP, never beyond.
double GridPoint(double from, double to, int64_t i, int64_t n) {
  if (i == 0) return from;
  const long double last = static_cast<long double>(n - 1);
  const long double weighted =
      from * (last - static_cast<long double>(i)) + to * static_cast<long double>(i);
  return std::clamp(static_cast<double>(weighted / last), from, to);
}

void Encode(engine::DataType type, double value, std::byte* packed, size_t index) {
  switch (type) {
    case engine::DataType::kFloat32:
      return engine::StoreAs(packed, index, static_cast<float>(value));
    case engine::DataType::kFloat64:
      return engine::StoreAs(packed, index, value);
    case engine::DataType::kFloat16:
      return engine::StoreAs(packed, index, DoubleToFloat16(value));
    case engine::DataType::kBFloat16:
      return engine::StoreAs(packed, index, DoubleToBFloat16(value));
  }
}

}  // namespace

void CompensatedSum::Add(long double term) {
  const long double sum = sum_ + term;
  compensation_ += std::fabs(sum_) >= std::fabs(term) ? (sum_ - sum) + term : (term - sum) + sum_;
  sum_ = sum;
}

void ErrorFigures::Maximum::Offer(long double offered, double at, double truth, double value) {
  if (is_set && offered <= error) return;
  *this = {.is_set = true, .error = offered, .x = at, .reference = truth, .candidate = value};
}

void ErrorFigures::Maximum::Fill(v1::ErrorPoint& point) const {
  point.set_error(static_cast<double>(error));
  point.set_x(x);
  point.set_reference(reference);
  point.set_candidate(candidate);
}

void ErrorFigures::Add(double x, double hi, double lo, double candidate) {
  ++points_;
  if (!std::isfinite(hi) || !std::isfinite(candidate)) {
    const bool same = std::isnan(hi) ? std::isnan(candidate) : hi == candidate;
    if (!same) ++mismatches_;
    return;
  }
  ++finite_points_;
  // Neither overflows nor loses bits that a float64 result needs.
  const long double error = std::fabs(static_cast<long double>(candidate) - hi - lo);
  absolute_.Offer(error, x, hi, candidate);
  if (hi != 0) {
    relative_.Offer(error / std::fabs(static_cast<long double>(hi) + lo), x, hi, candidate);
  }
  ulp_.Offer(std::ldexp(error, -SpacingExponent(type_, hi, lo)), x, hi, candidate);
  absolute_sum_.Add(error);
  square_sum_.Add(error * error);
}

void ErrorFigures::Fill(v1::ApproximationReport& report) const {
  report.set_points(points_);
  report.set_non_finite_mismatches(mismatches_);
  if (absolute_.is_set) absolute_.Fill(*report.mutable_max_absolute_error());
  if (relative_.is_set) relative_.Fill(*report.mutable_max_relative_error());
  if (ulp_.is_set) ulp_.Fill(*report.mutable_max_ulp_error());
  if (finite_points_ == 0) return;
  const long double count = static_cast<long double>(finite_points_);
  report.set_mean_absolute_error(static_cast<double>(absolute_sum_.Total() / count));
  report.set_root_mean_square_error(static_cast<double>(std::sqrt(square_sum_.Total() / count)));
}

Comparison::Comparison(const ComparePlan& plan)
    : plan_(plan), figures_(plan.candidates.size(), ErrorFigures(plan.type)) {
  const size_t room = static_cast<size_t>(std::min(plan.count, kComparePointsPerStep));
  x_.resize(room);
  packed_.resize(room * engine::SizeOf(plan.type));
  hi_.resize(room);
  lo_.resize(room);
  results_.resize(packed_.size());
  values_.resize(room);
}

void Comparison::MakePoints(size_t count) {
  if (plan_.points) {
    const std::byte* const given = plan_.points->pieces.front().data;
    const size_t size = engine::SizeOf(plan_.type);
    std::memcpy(packed_.data(), given + static_cast<size_t>(done_) * size, count * size);
  } else {
    for (size_t i = 0; i < count; ++i) {
      const int64_t index = done_ + static_cast<int64_t>(i);
      Encode(plan_.type, GridPoint(plan_.from, plan_.to, index, plan_.count), packed_.data(), i);
    }
  }
  engine::Decode(plan_.type, packed_.data(), count, x_.data());
}

void Comparison::Step() {
  const size_t count = static_cast<size_t>(std::min(plan_.count - done_, kComparePointsPerStep));
  MakePoints(count);
  engine::RunPrecise(plan_.reference, plan_.quantity, x_.data(), hi_.data(), lo_.data(), count);
  for (size_t candidate = 0; candidate < figures_.size(); ++candidate) {
    engine::Run({.function = plan_.candidates[candidate],
                 .quantity = plan_.quantity,
                 .input_type = plan_.type,
                 .output_type = plan_.type},
                {.input = packed_.data(), .output = results_.data()}, count);
    engine::Decode(plan_.type, results_.data(), count, values_.data());
    for (size_t i = 0; i < count; ++i) {
      figures_[candidate].Add(x_[i], hi_[i], lo_[i], values_[i]);
    }
  }
  done_ += static_cast<int64_t>(count);
}

v1::CompareApproximationsResponse Comparison::Report() const {
  v1::CompareApproximationsResponse response;
  *response.mutable_reference() = ToProto(plan_.reference);
  for (size_t i = 0; i < figures_.size(); ++i) {
    v1::ApproximationReport& report = *response.add_reports();
    *report.mutable_candidate() = ToProto(plan_.candidates[i]);
    figures_[i].Fill(report);
  }
  return response;
}

}  // namespace activation::server
