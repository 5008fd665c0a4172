// The reply of a comparison, for people and for programs.
#ifndef ACTIVATION_CLIENT_CLI_COMPARE_REPORT_H_
#define ACTIVATION_CLIENT_CLI_COMPARE_REPORT_H_

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

// One line for each report; then for each its figures, its histogram and its regions.
std::string FormatCompareTable(const v1::CompareApproximationsResponse& response);

// One line for each report. New columns only ever come last.
std::string FormatCompareCsv(const v1::CompareApproximationsResponse& response);

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_COMPARE_REPORT_H_
