#include "schedule/segments.h"

#include "schedule/skeleton.h"

namespace spillway {

void append_slots(const SegmentShape& shape, SegmentItem item, Action action, RankOrder& order) {
  const std::uint32_t count = item.segment < shape.joined ? 1 : shape.parts;
  for (std::uint32_t part = 0; part < count; ++part)
    order.push_back({action, item.segment, MicrobatchId(item.number * count + part)});
}

std::vector<RankOrder> interleaved_wholes(const SegmentShape& shape) {
  return rank_orders(Skeleton(SkeletonKind::OneFOneB), {shape.ranks, shape.microbatches, shape.segments,
                                                        default_group(shape.ranks, shape.microbatches)});
}

std::vector<RankOrder> interleaved_segments(const SegmentShape& shape) {
  std::vector<RankOrder> orders;
  for (const RankOrder& whole : interleaved_wholes(shape)) {
    RankOrder& order = orders.emplace_back();
    for (const Slot& slot : whole) {
      const std::uint32_t count = shape.items_of_one(slot.chunk);
      for (std::uint32_t item = 0; item < count; ++item)
        append_slots(shape, {slot.chunk, slot.microbatch.index() * count + item}, slot.action, order);
    }
  }
  return orders;
}

}  // namespace spillway
