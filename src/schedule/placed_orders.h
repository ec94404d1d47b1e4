// Converts between rank orders and action lists, and checks hand-written lists.
#pragma once

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "base/id.h"
#include "schedule/action_list.h"
#include "schedule/skeleton.h"

namespace spillway {

// The skeleton of a region that takes its placement and order from `orders`.
Skeleton listed_skeleton(PlacedOrders orders);

// By rank and chunk: the stages of each rank, ascending.
std::vector<std::vector<std::uint32_t>> rank_stages(const PlacedOrders& placed);

// The slot as a list writes it. `stages` has the stages of its rank by chunk.
ListedAction listed(const Slot& slot, const std::vector<std::uint32_t>& stages);

// The orders as lists, without idle slots: placed_orders(to_action_lists(x)) == x if each stage computes.
ActionLists to_action_lists(const PlacedOrders& placed);

// A skeleton's rank orders as lists: only computing actions, no idle slots. PyTorch has no text for two
// copies of the model. Under Fold::Bidirectional stage s of the second copy is written as stage P + s; such
// lists are only for reading, because as one pipeline of 2P stages they lack half of the actions. Contract:
// `orders` are rank_orders(skeleton, shape).
ActionLists to_action_lists(const Skeleton& skeleton, const RunShape& shape,
                            const std::vector<RankOrder>& orders);

// The computing actions of the lists. Idle slots, transfers, UNSHARD, RESHARD and REDUCE_GRAD are dropped;
// transfers follow from the placement. Contract: every stage from 0 on is in exactly one row.
PlacedOrders placed_orders(const ActionLists& lists);

// Returns every reason why the lists are not a schedule of this many ranks and microbatches:
//   - another number of rows than ranks, a row without a stage, a stage without a row;
//   - a stage in a second row, a microbatch that does not exist;
//   - of a stage and microbatch: not one forward, or neither one whole backward nor one of both halves;
//   - on a rank: a backward before its forward, a weight gradient before its input gradient;
//   - a transfer to or from a stage that is not there or on the same rank, on a rank that does not hold its
//     stage, twice, or without its other end;
//   - only where all that is fine: actions that wait for each other in a circle, with a picture of it.
// Pointers are "/" (the lists), "/<rank>" and "/<rank>/<slot>". O(A log A) in the actions, but for the
// circle, which runs the lists rank by rank until no rank gets further.
std::vector<Violation> check_action_lists(const ActionLists& lists, std::uint32_t ranks,
                                          std::uint32_t microbatches);

}  // namespace spillway
