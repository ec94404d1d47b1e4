// The longest path of a streamed order: one replica under one draw, with the transposed work counted and,
// beside it, free. Each rank advances as far as its inputs have arrived. Only data under way is kept, so
// memory grows with ranks plus microbatches, not with their product. Time is linear in the events.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "derive/order_stream.h"
#include "timing/step_figures.h"

namespace spillway {

// Prices of one replica under one draw; joined replicas have equal prices (cost/price.h).
struct EventPrices {
  std::function<Seconds(const Event&)> of;
  // Returns true if all events of this kind and these stages take equally long. The price is then asked once.
  std::function<bool(const Event&)> uniform;
};

struct StreamedStep {
  Seconds end;                      // of the last event
  std::optional<Seconds> free_end;  // with the transposed work free; none without a transposed input
  std::vector<RankShare> ranks;
  std::uint64_t events;  // events that take time: computing, transfers and reductions
};

// Equals the longest path and the figures of derive()'s order for this replica, to the last bit. It assumes
// that the other replicas reach the reductions no later: the step ends with the last replica. Linear in the
// events.
StreamedStep streamed_step(const OrderStream& order, const EventPrices& prices);

LaneFigures lane_figures(const StreamedStep& step);

}  // namespace spillway
