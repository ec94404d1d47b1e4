// Orders by list scheduling: each rank takes the ready pass with the lowest priority, under a limit of
// microbatches in flight.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "synthesize/pass_needs.h"

namespace spillway {

// The rule by which a free rank takes passes.
// WeightFirst is BackwardFirst, with each weight gradient right behind its input gradient.
enum class PassRule : std::uint8_t { LongestTail, BackwardFirst, OldestFirst, ForwardFirst, WeightFirst };

struct ListRule {
  PassRule rule;
  // The most microbatches between the forward of a rank's first stage and its backward: `in_flight`, less one
  // for each rank before it if `falling`. 0: no limit. At least 1 is always let in.
  std::uint32_t in_flight = 0;
  bool falling = false;
};

// The rules that a search tries before it changes orders, in this order: all rules without a limit, and then
// with each of the limits that 1F1B, interleaved and zero-bubble schedules have.
std::vector<ListRule> list_rules(std::uint32_t ranks, std::uint32_t microbatches, std::uint32_t chunks);

// Ranks use `share` of their room.
PassSequences list_order(const PassGraph& graph, const PassNeeds& needs, const ListRule& rule,
                         double share = 1);

// Returns the list schedule whose priorities are these, by pass.
PassSequences list_order(const PassGraph& graph, const PassNeeds& needs, std::vector<std::uint64_t> priority,
                         double share = 1);

// Lists the passes from the end of the step back, by these priorities. Returns, by pass, its place from the
// beginning: 0 for the pass that started last.
std::vector<double> backward_places(const PassGraph& graph, const PassNeeds& needs,
                                    std::vector<std::uint64_t> priority);

}  // namespace spillway
