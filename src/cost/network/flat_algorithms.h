// The table of the algorithms of collectives. To add one without levels, write a file with its closed form
// and its steps (as tree.cpp), and here add its name, its declaration and its row; collectives.cpp says which
// library uses it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/id.h"
#include "base/quantity.h"
#include "platform/platform.h"

namespace spillway {

struct CollectiveStep;
struct FormUnderWay;

// Measured and Protocol have no steps: a sweep, and forms of whole collectives
// (cost/network/protocol_forms.h).
enum class Algorithm { Measured, Protocol, Ring, Tree, Mesh, HalvingDoubling, Pairwise, Hierarchical };

constexpr bool has_steps(Algorithm algorithm) {
  return algorithm != Algorithm::Measured && algorithm != Algorithm::Protocol;
}

// An algorithm without levels. Contract of form() and steps(): it runs the operation, among at least two
// devices, which ascend.
struct FlatAlgorithm {
  bool (*runs)(CollectiveOperation operation);
  // The closed form for groups of one size that run side by side and share no device. A step lasts as long as
  // the slowest group's.
  FormUnderWay (*form)(const Platform& platform, CollectiveOperation operation,
                       const std::vector<std::vector<DeviceId>>& groups);
  // Its steps in one group, flow by flow.
  std::vector<CollectiveStep> (*steps)(const Platform& platform, CollectiveOperation operation,
                                       const std::vector<DeviceId>& devices, Bytes n);
};

extern const FlatAlgorithm kRing, kTree, kMesh, kHalvingDoubling, kPairwise;

// Null if it has levels or no steps.
constexpr const FlatAlgorithm* flat_algorithm(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::Ring:
      return &kRing;
    case Algorithm::Tree:
      return &kTree;
    case Algorithm::Mesh:
      return &kMesh;
    case Algorithm::HalvingDoubling:
      return &kHalvingDoubling;
    case Algorithm::Pairwise:
      return &kPairwise;
    case Algorithm::Measured:
    case Algorithm::Protocol:
    case Algorithm::Hierarchical:
      return nullptr;
  }
  return nullptr;
}

}  // namespace spillway
