// From a candidate's figures to its report.
#ifndef ACTIVATION_SERVER_COMPARE_REPORT_H_
#define ACTIVATION_SERVER_COMPARE_REPORT_H_

#include <vector>

#include "activation/v1/activation.pb.h"
#include "server/compare/block.h"

namespace activation::server {

// `bounds` are the plan's and 0.
struct ReportedFigures {
  const ComparePlan& plan;
  const RegionBounds& bounds;
  const CandidateFigures& figures;
  const ErrorDistribution& distribution;
  const std::vector<ErrorSums>& sums;
  const std::vector<CurvePoint>& curve;
  bool is_timed;
};

void FillReport(const ReportedFigures& reported, v1::ApproximationReport& report);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_COMPARE_REPORT_H_
