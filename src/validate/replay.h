// A measured pipeline as an order with durations, so that an engine can run it again. Everything has one lane
// per step of MeasuredPipeline::steps (a replica's step is one of them); lanes do not meet.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "derive/derive.h"
#include "order/durations.h"
#include "timing/timeline.h"
#include "traces/files/note.h"
#include "traces/pipeline/pipeline.h"

namespace spillway {

// What most steps did, as the order of one trainable block with a layer for every stage. StageId s is stage
// s. Throws InputError where the passes wait for each other in a circle, or a rank or stage has none.
Derived measured_order(const MeasuredPipeline& pipeline, PointToPoint point_to_point);

// When everything ran, laid over the events of `measured_order`. Computing events are as measured; a forward
// and a backward run together from the first start to the last end. A transfer is the shorter of its two
// sides: the other one waited. Where the trace lacks a side it is guessed: `transfer` long, after what it
// sends. Bookkeeping (losses, reductions, the barrier) takes no time.
struct MeasuredTimes {
  Timeline timeline;
  // What one transfer takes: the median of those with both sides; where there is none, the least lag between
  // a pass and the one that needs its output on another rank.
  Seconds transfer;
  std::vector<Note> notes;
};
MeasuredTimes measured_times(const MeasuredPipeline& pipeline, const Derived& derived);

// How long each event took.
Durations lengths(const Timeline& timeline);

// Every transfer between ranks takes `transfer`.
Durations with_constant_transfers(const Order& order, Durations durations, Seconds transfer);

// Every compute takes the mean of its (stage, direction) over the lanes of its group. `group_of_lane` counts
// from 0.
Durations with_means(const Order& order, Durations durations, std::span<const std::uint32_t> group_of_lane);

// From the start of the first pass to the end of the last one, by lane.
std::vector<Interval> spans(const Order& order, const Timeline& timeline);

}  // namespace spillway
