// Tree: an all-reduce up and down a binomial tree, 2 ceil(log2 N) steps of n. Not pipelined: NCCL's double
// binary tree is, and moves long vectors as fast as a ring.
#include <algorithm>

#include "cost/network/algorithm_parts.h"

namespace spillway {
namespace {

FormUnderWay tree_form(const Platform& platform, CollectiveOperation, const std::vector<Devices>& groups) {
  FormUnderWay result;
  const std::size_t size = groups.front().size();
  for (std::size_t distance = 1; distance < size; distance *= 2) {
    FlowLoads loads(platform);
    for (const Devices& devices : groups) {
      for (std::size_t i = 0; i + distance < size; i += 2 * distance) {
        loads.add(tier_index(platform, devices[i], devices[i + distance]), 1);
      }
    }
    result.add(loads, 2);
  }
  return result;
}

// Up the tree, children at distance 1, 2, 4, ... send the whole vector.
Steps up_the_tree(const Devices& devices, Bytes n) {
  Steps steps;
  for (std::size_t distance = 1; distance < devices.size(); distance *= 2) {
    steps.emplace_back();
    for (std::size_t i = 0; i + distance < devices.size(); i += 2 * distance) {
      steps.back().flows.push_back({devices[i + distance], devices[i], n});
    }
  }
  return steps;
}

Steps tree_steps(const Platform&, CollectiveOperation, const Devices& devices, Bytes n) {
  return one_after_the_other(up_the_tree(devices, n), backwards(up_the_tree(devices, n)));
}

}  // namespace

const FlatAlgorithm kTree = {
    [](CollectiveOperation operation) { return operation == CollectiveOperation::AllReduce; }, tree_form,
    tree_steps};

}  // namespace spillway
