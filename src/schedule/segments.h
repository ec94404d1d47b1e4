// A pipeline cut into segments: P stages each, one on every rank, segment after segment on the same ranks.
//
//   rank 0  e1 e2 . l1 ...      two segments, the encoder's and the backbone's: stage s is on rank s mod P
//   rank 1     e1 e2 l1 ...
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/rank_order.h"

namespace spillway {

// Microbatches may pass the first segments in parts, one by one, and the others whole. An item is the unit
// that passes a segment at once. Slots number the parts consecutively: part i of microbatch m is m x parts +
// i.
struct SegmentShape {
  std::uint32_t ranks;
  std::uint32_t microbatches;  // whole ones
  std::uint32_t segments;
  std::uint32_t joined = 0;  // the first segment that takes microbatches whole
  std::uint32_t parts = 1;

  // The number of items of a microbatch in a segment.
  std::uint32_t items_of_one(std::uint32_t segment) const { return segment < joined ? parts : 1; }
  std::uint32_t items(std::uint32_t segment) const { return microbatches * items_of_one(segment); }
};

struct SegmentItem {
  std::uint32_t segment, number;
};

// Appends the item's slots. A whole microbatch gives the slots of its parts, one after the other.
void append_slots(const SegmentShape& shape, SegmentItem item, Action action, RankOrder& order);

// Interleaved 1F1B of whole microbatches; each segment is a chunk. Contract: P divides the microbatches, or
// there is one segment.
std::vector<RankOrder> interleaved_wholes(const SegmentShape& shape);

// The same in items: those of one microbatch and segment follow each other.
std::vector<RankOrder> interleaved_segments(const SegmentShape& shape);

}  // namespace spillway
