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
//   Disaggregated  the encoder on stages of its own (disaggregated_split)
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

// The same with the first `encoder` layers on stages of their own, as many as make the slowest stage quickest
// (fewest where that is equal): DistTrain's disaggregation, https://arxiv.org/abs/2408.04275, with one
// pipeline rank as the smallest share of the cluster. Contract: 0 < encoder < layers, a layer per stage on
// either side.
std::vector<std::uint32_t> disaggregated_split(std::span<const Seconds> layers, std::uint32_t encoder,
                                               std::uint32_t stages);

}  // namespace spillway
