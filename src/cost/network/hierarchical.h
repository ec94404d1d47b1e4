// What the hierarchical algorithm does at its two levels, one after the other.
#pragma once

#include <vector>

#include "cost/network/collective_layout.h"

namespace spillway {

struct HierarchicalPhase {
  CollectiveOperation operation;
  Algorithm algorithm;
  const std::vector<Devices>& groups;  // of the hierarchy, side by side
  double share;                        // of n
};

std::vector<HierarchicalPhase> phases(const Hierarchy& hierarchy, CollectiveOperation operation);

}  // namespace spillway
