#include "server/evaluate/near_names.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "server/engine/engine.h"
#include "server/engine/rows.h"

namespace activation::server {
namespace {

constexpr size_t kMaxSuggestions = 3;

// Insertions, deletions, replacements and swaps of neighbours that lead from one to the other.
size_t EditDistance(absl::string_view from, absl::string_view to) {
  // Rows of the table of distances between beginnings of both: the one to fill, and two before it.
  std::vector<size_t> row(to.size() + 1);
  std::vector<size_t> before(to.size() + 1);
  std::vector<size_t> two_before(to.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= from.size(); ++i) {
    two_before.swap(before);
    before.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= to.size(); ++j) {
      const size_t replaced = before[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, before[j] + 1, row[j - 1] + 1});
      const bool is_swap = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (is_swap) row[j] = std::min(row[j], two_before[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::vector<absl::string_view> FindNearNames(absl::string_view name,
                                             std::span<const absl::string_view> known) {
  // A third of it may be wrong: "gleu" finds gelu, "geluuu" too, "foo" nothing far away.
  const size_t most_edits = std::max<size_t>(name.size() / 3, 2);
  std::vector<std::pair<size_t, absl::string_view>> near;
  for (const absl::string_view candidate : known) {
    const size_t distance = EditDistance(name, candidate);
    if (distance <= most_edits && distance < candidate.size()) {
      near.emplace_back(distance, candidate);
    }
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  near.resize(std::min(near.size(), kMaxSuggestions));
  std::vector<absl::string_view> names;
  names.reserve(near.size());
  for (const auto& [distance, candidate] : near) names.push_back(candidate);
  return names;
}

std::vector<absl::string_view> FindNearNames(absl::string_view name) {
  std::vector<absl::string_view> known;
  for (const engine::Spec* spec : engine::Catalogue()) {
    known.emplace_back(spec->name);
    for (const engine::Alias& alias : spec->aliases) known.emplace_back(alias.name);
  }
  for (const engine::RowSpec* row : engine::RowCatalogue()) {
    known.emplace_back(row->name);
    known.insert(known.end(), row->aliases.begin(), row->aliases.end());
  }
  return FindNearNames(name, known);
}

}  // namespace activation::server
