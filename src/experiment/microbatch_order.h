// The order in which a step takes its microbatches. The loss is a sum over microbatches, and their sizes are
// known before the step, so they may run in any order. The paper names this as future work (conclusion,
// "loss-preserving metadata-guided reordering").
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace spillway {

enum class MicrobatchOrder {
  AsSampled,
  HeaviestFirst,  // by transposed forward; equal ones as sampled
  LightestFirst,
  FillIntervals,  // DistTrain's: forwards of the first stage fill its waits (optimize/interval_order.cpp)
  Makespan        // local search on the longest path, from each of the first three
};

// Every order and its name.
inline constexpr std::array<std::pair<std::string_view, MicrobatchOrder>, 5> kMicrobatchOrders{{
    {"as-sampled", MicrobatchOrder::AsSampled},
    {"heaviest-first", MicrobatchOrder::HeaviestFirst},
    {"lightest-first", MicrobatchOrder::LightestFirst},
    {"fill-intervals", MicrobatchOrder::FillIntervals},
    {"makespan", MicrobatchOrder::Makespan},
}};

inline std::string to_string(MicrobatchOrder order) {
  using Named = std::pair<std::string_view, MicrobatchOrder>;
  return std::string(std::ranges::find(kMicrobatchOrders, order, &Named::second)->first);
}

}  // namespace spillway
