// One activation as a web page: what it is, how it looks, and how far its approximations are from
// it.
//
// A page needs no network, no script and no other file: pictures stand in it as SVG. All text is
// escaped. It is made for narrow and wide screens, light and dark ones, and for paper.
#ifndef ACTIVATION_CLIENT_CLI_REPORT_PAGE_H_
#define ACTIVATION_CLIENT_CLI_REPORT_PAGE_H_

#include <string>
#include <vector>

#include "activation/v1/activation.pb.h"

namespace activation::cli {

struct ReportPicture {
  std::string title;
  // As gnuplot wrote it.
  std::string svg;
};

struct ReportContent {
  v1::ActivationInfo info = {};
  std::vector<ReportPicture> curves = {};
  // Where there are approximations: the points in words, the reports, and for each its pictures.
  std::string domain = {};
  v1::CompareApproximationsResponse comparison = {};
  std::vector<std::vector<ReportPicture>> errors = {};
};

std::string ReportPage(const ReportContent& content);

// The file name of an activation's page.
std::string ReportFileName(const std::string& activation);

// Links to all pages, which lie beside it.
std::string IndexPage(const v1::ListActivationsResponse& catalogue);

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_REPORT_PAGE_H_
