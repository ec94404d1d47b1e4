// Ranking: is the layout that is predicted to be fastest the one that was measured to be fastest?
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/run_cases.h"

namespace spillway {

// Measured layouts of one job of a table. Layouts are compared by their time for one sample. Cases with the
// same prediction count as one layout, whose time is their mean, since nothing tells them apart.
struct LayoutGroup {
  std::string of_class;            // of the first case
  std::vector<std::size_t> cases;  // of the table, ascending; fitted ones included
  std::size_t layouts;             // at least two
  std::string chosen, best;        // the case that is predicted to be fastest, and the one that is
  double regret;                   // how much longer the chosen layout takes than the best, as a share of it
};

// The groups of at least two layouts.
std::vector<LayoutGroup> layout_groups(const std::vector<CaseResult>& cases);

struct Ranking {
  std::size_t groups;
  double mean_regret;
  double most_regret;
};
// Empty for no groups.
std::optional<Ranking> ranking(const std::vector<LayoutGroup>& groups);

}  // namespace spillway
