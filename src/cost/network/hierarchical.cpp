#include "cost/network/hierarchical.h"

namespace spillway {

std::vector<HierarchicalPhase> phases(const Hierarchy& hierarchy, CollectiveOperation operation) {
  using enum CollectiveOperation;
  const double part = 1.0 / static_cast<double>(hierarchy.across.size());
  const auto inside = [&](CollectiveOperation what) {
    return HierarchicalPhase{what, hierarchy.inside_by, hierarchy.inside, 1};
  };
  const auto across = [&](CollectiveOperation what, double share) {
    return HierarchicalPhase{what, hierarchy.across_by, hierarchy.across, share};
  };
  switch (operation) {
    case AllReduce:
      return {inside(ReduceScatter), across(AllReduce, part), inside(AllGather)};
    case ReduceScatter:
      return {inside(ReduceScatter), across(ReduceScatter, part)};
    case AllGather:
      return {across(AllGather, part), inside(AllGather)};
    case AllToAll:
      return {inside(AllToAll), across(AllToAll, 1)};
    default:
      throw ContractBreach("phases: a message has no levels");
  }
}

}  // namespace spillway
