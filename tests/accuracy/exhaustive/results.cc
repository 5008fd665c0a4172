#include "tests/accuracy/exhaustive/results.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

namespace activation::accuracy {
namespace {

constexpr char kHeader[] =
    "activation\tquantity\tmode\ttarget\tinputs\tby_oracle\twrong\tworst_ulp\tworst_input\tseconds"
    "\trevision\tmachine\tsources";

}  // namespace

absl::Status Record(const std::string& path, const Job& job, const std::string& target,
                    const Tally& tally, const Origin& origin) {
  const std::string key = absl::StrReplaceAll(NameOf(job), {{" ", "\t"}}) + "\t" + target + "\t";
  std::vector<std::string> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line != kHeader && !absl::StartsWith(line, key)) lines.push_back(line);
  }
  const bool has_ulp = job.mode == Mode::kFloat64;
  lines.push_back(key + absl::StrFormat("%d\t%d\t%d\t%s\t%s\t%.0f\t%s\t%s\t%s", tally.inputs,
                                        tally.by_oracle, tally.wrong,
                                        has_ulp ? absl::StrFormat("%.3f", tally.worst_ulp) : "-",
                                        has_ulp ? tally.worst_place : "-", tally.seconds,
                                        origin.revision, origin.machine, origin.sources));
  std::sort(lines.begin(), lines.end());
  const std::string part = path + ".part";
  std::ofstream out(part);
  out << kHeader << '\n';
  for (const std::string& line : lines) out << line << '\n';
  out.close();
  std::error_code error;
  if (out) std::filesystem::rename(part, path, error);
  if (!out || error) return absl::UnavailableError("cannot write " + path);
  return absl::OkStatus();
}

}  // namespace activation::accuracy
