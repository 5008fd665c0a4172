#include "server/near_names.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "server/engine/engine.h"

namespace activation::server {
namespace {

constexpr size_t kMaxSuggestions = 3;

// Levenshtein's: insertions, deletions and replacements that lead from one to the other.
size_t EditDistance(absl::string_view from, absl::string_view to) {
  std::vector<size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < from.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < to.size(); ++j) {
      const size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::vector<absl::string_view> FindNearNames(absl::string_view name) {
  // A third of it may be wrong: "gleu" finds gelu, "geluuu" too, "foo" nothing far away.
  const size_t most_edits = std::max<size_t>(name.size() / 3, 2);
  std::vector<std::pair<size_t, absl::string_view>> near;
  const auto consider = [&](absl::string_view candidate) {
    const size_t distance = EditDistance(name, candidate);
    if (distance <= most_edits && distance < candidate.size())
      near.emplace_back(distance, candidate);
  };
  for (const engine::Spec* spec : engine::Catalogue()) {
    consider(spec->name);
    for (const char* alias : spec->aliases) consider(alias);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  near.resize(std::min(near.size(), kMaxSuggestions));
  std::vector<absl::string_view> names;
  for (const auto& [distance, candidate] : near) names.push_back(candidate);
  return names;
}

}  // namespace activation::server
