// Runs a skeleton's own orders on the slow clock (slot_timeline.h).
#pragma once

#include "schedule/skeleton.h"
#include "support/slot_timeline.h"

namespace spillway::testing {

// Returns the shape of a run of one region.
inline RunShape shape_of(Skeleton skeleton, std::uint32_t ranks, std::uint32_t microbatches) {
  return {ranks, microbatches, chunks_of(skeleton), default_group(ranks, microbatches)};
}

inline SlotTimeline timed(Skeleton skeleton, std::uint32_t ranks, std::uint32_t microbatches,
                          const SlotDurations& durations = {}) {
  const RunShape shape = shape_of(skeleton, ranks, microbatches);
  return SlotTimeline(skeleton, shape, rank_orders(skeleton, shape), durations);
}

// "F0.2" is the forward of microbatch 2 (from 0) in chunk 0; "F0.3&B1.1" is a fused forward and backward.
inline std::string slot_text(const Slot& slot) {
  const auto half = [](const char* name, std::uint32_t chunk, MicrobatchId microbatch) {
    return name + std::to_string(chunk) + '.' + std::to_string(microbatch.index());
  };
  switch (slot.action) {
    case Action::Forward:
      return half("F", slot.chunk, slot.microbatch);
    case Action::Backward:
      return half("B", slot.chunk, slot.microbatch);
    case Action::BackwardInput:
      return half("I", slot.chunk, slot.microbatch);
    case Action::BackwardWeight:
      return half("W", slot.chunk, slot.microbatch);
    case Action::ForwardBackward:
      return half("F", slot.chunk, slot.microbatch) + '&' +
             half("B", slot.backward_chunk, slot.backward_microbatch);
  }
  throw ContractBreach("unknown action");
}

inline std::string order_text(const RankOrder& order) {
  std::string text;
  for (const Slot& slot : order) text += (text.empty() ? "" : " ") + slot_text(slot);
  return text;
}

}  // namespace spillway::testing
