// The figures of a comparison in words, for every form of it.
#ifndef ACTIVATION_CLIENT_CLI_COMPARE_FIGURES_H_
#define ACTIVATION_CLIENT_CLI_COMPARE_FIGURES_H_

#include <string>
#include <utility>
#include <vector>

#include "activation/v1/activation.pb.h"

namespace activation::cli {

// The candidate as the command line takes it, or the approximation's label.
std::string NameOf(const v1::ApproximationReport& report);

// The figures that matter of one report: what each is, and its value with its place.
std::vector<std::pair<std::string, std::string>> Figures(const v1::ApproximationReport& report);

// Rows of the histogram that are not empty, and of the regions; the first row is the heading. Empty
// where the report has none.
std::vector<std::vector<std::string>> HistogramRows(const v1::ApproximationReport& report);
std::vector<std::vector<std::string>> RegionRows(const v1::ApproximationReport& report);

struct IncidentKind {
  const char* name;    // for people
  const char* column;  // of CSV
  const v1::Incidents& (v1::ApproximationReport::*of)() const;
};
inline constexpr IncidentKind kIncidents[] = {
    {"wrong sign", "wrong_sign", &v1::ApproximationReport::wrong_sign},
    {"flushed to zero", "flushed_to_zero", &v1::ApproximationReport::flushed_to_zero},
    {"overflowed", "overflowed", &v1::ApproximationReport::overflowed},
    {"unexpected NaN", "unexpected_nan", &v1::ApproximationReport::unexpected_nan},
};

// Five digits.
std::string Rounded(double value);

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_COMPARE_FIGURES_H_
