#include "tests/accuracy/exhaustive/tally.h"

#include <istream>
#include <limits>
#include <ostream>

namespace activation::accuracy {

void Add(const Tally& from, Tally& to) {
  to.inputs += from.inputs;
  to.by_oracle += from.by_oracle;
  to.wrong += from.wrong;
  to.seconds += from.seconds;
  if (from.worst_ulp > to.worst_ulp) {
    to.worst_ulp = from.worst_ulp;
    to.worst_place = from.worst_place;
  }
  for (const std::string& failure : from.failures) {
    if (to.failures.size() < kDescribedFailures) to.failures.push_back(failure);
  }
}

void Write(const Tally& tally, std::ostream& out) {
  out.precision(std::numeric_limits<double>::max_digits10);
  out << tally.inputs << ' ' << tally.by_oracle << ' ' << tally.wrong << ' ' << tally.seconds << ' '
      << tally.worst_ulp << ' ' << tally.failures.size() << '\n'
      << tally.worst_place << '\n';
  for (const std::string& failure : tally.failures) out << failure << '\n';
}

bool Read(std::istream& in, Tally& tally) {
  size_t failures = 0;
  in >> tally.inputs >> tally.by_oracle >> tally.wrong >> tally.seconds >> tally.worst_ulp >>
      failures;
  in.ignore(1, '\n');
  std::getline(in, tally.worst_place);
  tally.failures.clear();
  for (std::string line; tally.failures.size() < failures && std::getline(in, line);) {
    tally.failures.push_back(line);
  }
  return !in.fail() && tally.failures.size() == failures;
}

}  // namespace activation::accuracy
