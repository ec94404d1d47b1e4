// Splits consecutive layers over stages by the layers' times.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quantity.h"

namespace spillway {

// How a pipelined region's layers are split over stages if the user does not list them.
//   ByCount        as evenly as possible by number
//   Balanced       by their times (balanced_split)
//   Joint          balanced over all stages of interleaved regions, whose boundaries may then move
//   Disaggregated  encoder, backbone and generator on dedicated stages (disaggregated_split)
enum class StageSplit { ByCount, Balanced, Joint, Disaggregated };

inline constexpr std::array<std::pair<std::string_view, StageSplit>, 4> kStageSplits{
    {{"by-count", StageSplit::ByCount},
     {"balanced", StageSplit::Balanced},
     {"joint", StageSplit::Joint},
     {"disaggregated", StageSplit::Disaggregated}}};

// The number of layers of each stage, such that the slowest stage is as fast as possible. Of such splits it
// returns the most even one (least sum of squares), and of those the one whose first stages hold the most,
// because a slow last stage delays every turn from forward to backward. Times are equal if they differ by
// less than a relative 1e-9. Contract: at least one layer per stage, no negative time. O(stages x layers x
// (log layers + layers of a stage)).
std::vector<std::uint32_t> balanced_split(std::span<const Seconds> layers, std::uint32_t stages);

// The same with dedicated stages for every module. The numbers of stages make the slowest stage fastest; a
// tie goes to fewest stages for the first module. A stated number of stages of the first module (not 0) is
// kept. This is DistTrain's disaggregation, https://arxiv.org/abs/2408.04275, with one pipeline rank as the
// smallest share of the cluster. `modules` has the number of layers of each. Contract: the modules cover all
// layers; each module has a stage, and each stage a layer.
std::vector<std::uint32_t> disaggregated_split(std::span<const Seconds> layers,
                                               std::span<const std::uint32_t> modules, std::uint32_t stages,
                                               std::uint32_t first = 0);

}  // namespace spillway
