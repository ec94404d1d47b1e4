// Counts layouts by the values of the job's lists. If there are too many, it says which list to narrow.
// Private to src/search.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "search/layout.h"

namespace spillway {

class LayoutTally {
 public:
  // Counts the layout once for each of these recomputations with each of these shardings.
  void add(const PlanLayout& layout, const std::vector<Recompute>& recompute,
           const std::vector<DataParallel>& data);

  std::size_t layouts() const { return layouts_; }

 private:
  friend class Narrowing;

  std::size_t layouts_ = 0;
  // By list of /search: the number of layouts with each value. Words are counted by their number.
  std::array<std::map<std::size_t, std::size_t>, 8> by_value_ = {};
};

// Throws InputError. It names the list of /search that must lose the fewest layouts if it keeps its first
// values, these values, and the number of layouts that they leave. Contract: there are more than `most`
// layouts.
[[noreturn]] void refuse_so_many(const PlanJob& job, const LayoutTally& tally, std::size_t most);

}  // namespace spillway
