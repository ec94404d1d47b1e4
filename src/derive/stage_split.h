// Splitting consecutive layers over stages by what the layers take.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quantity.h"

namespace spillway {

// How a pipelined region's layers are shared out where nobody lists them.
//   ByCount        as even as their number can be
//   Balanced       by what they take (balanced_split)
//   Joint          balanced over all stages of regions that are woven, which then end where that is best
//   Disaggregated  encoder, backbone and generator on stages of their own (disaggregated_split)
enum class StageSplit { ByCount, Balanced, Joint, Disaggregated };

inline constexpr std::array<std::pair<std::string_view, StageSplit>, 4> kStageSplits{
    {{"by-count", StageSplit::ByCount},
     {"balanced", StageSplit::Balanced},
     {"joint", StageSplit::Joint},
     {"disaggregated", StageSplit::Disaggregated}}};

// Layers of each stage, so that the slowest stage takes as little as it can; of such splits the most even one
// (least sum of squares), and of those the one whose first stages hold the most, as where layers are counted:
// a slow last stage delays every turn from forward to backward. Equal is what differs by less than 1e-9 of
// itself. Contract: at least one layer per stage, no negative time. O(stages x layers x (log layers + layers
// of a stage)).
std::vector<std::uint32_t> balanced_split(std::span<const Seconds> layers, std::uint32_t stages);

// The same with every module on stages of its own, as many as make the slowest stage fastest (fewest for the
// first where that is equal), of the first as many as stated where that is not 0: DistTrain's disaggregation,
// https://arxiv.org/abs/2408.04275, with one pipeline rank as the smallest share of the cluster. `modules`:
// layers of each, one after the other. Contract: they are all layers; a stage for each module, and a layer of
// its module for each stage.
std::vector<std::uint32_t> disaggregated_split(std::span<const Seconds> layers,
                                               std::span<const std::uint32_t> modules, std::uint32_t stages,
                                               std::uint32_t first = 0);

}  // namespace spillway
