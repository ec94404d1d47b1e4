// The longest path of an order that is streamed: one replica under one draw, with the transposed work counted
// and, beside it, free. Each rank goes on as far as what it waits for has arrived; only what is under way is
// kept, so that memory grows with ranks and microbatches, not with their product, and time with the events.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "derive/order_stream.h"
#include "timing/step_figures.h"

namespace spillway {

// Prices of one replica under one draw; what joined replicas take is levelled (cost/price.h).
struct EventPrices {
  std::function<Seconds(const Event&)> of;
  // Does every event of this one's kind and stages take what this one takes? It is asked for once then.
  std::function<bool(const Event&)> uniform;
};

struct StreamedStep {
  Seconds end;                      // of the last event
  std::optional<Seconds> free_end;  // with the transposed work free; none without a transposed input
  std::vector<RankShare> ranks;
  std::uint64_t events;  // that take time: computing ones, transfers and reductions
};

// To the last bit what the longest path and the figures of derive()'s order say of this replica, the others
// being ready for the reductions no later than it is: the replicas' step ends with the last of them. Linear
// in the events.
StreamedStep streamed_step(const OrderStream& order, const EventPrices& prices);

LaneFigures lane_figures(const StreamedStep& step);

}  // namespace spillway
