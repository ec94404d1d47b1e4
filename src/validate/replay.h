// Writes a measured pipeline as an order with durations, so that an engine can run it again. Each step of
// MeasuredPipeline::steps, which is one replica's step, is a lane. Lanes do not affect each other.
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

// Returns the order that most steps took, as one trainable block with a layer for every stage. StageId s is
// stage s. Throws InputError if passes wait for each other in a cycle, or a rank or stage has none.
Derived measured_order(const MeasuredPipeline& pipeline, PointToPoint point_to_point);

// Measured times of the events of `measured_order`. Computing events are as measured. A forward and a
// backward run together take from the first start to the last end. A transfer is the shorter of its two
// sides, because the other side waited. If the trace lacks a side, the transfer is guessed: it takes
// `transfer`, from the end of the pass that it follows. Bookkeeping (losses, reductions, the barrier) takes
// no time.
struct MeasuredTimes {
  Timeline timeline;
  // The time of one transfer: the median of those with both sides. Without any, it is the least lag between a
  // pass and one on another rank that needs its output.
  Seconds transfer;
  std::vector<Note> notes;
};
MeasuredTimes measured_times(const MeasuredPipeline& pipeline, const Derived& derived);

// The duration of each event.
Durations lengths(const Timeline& timeline);

// Sets every transfer between ranks to `transfer`.
Durations with_constant_transfers(const Order& order, Durations durations, Seconds transfer);

// Sets every compute to the mean of its (stage, direction) over the lanes of its group. `group_of_lane`
// counts from 0.
Durations with_means(const Order& order, Durations durations, std::span<const std::uint32_t> group_of_lane);

// Returns the spans by lane, each from the start of the first pass to the end of the last one.
std::vector<Interval> spans(const Order& order, const Timeline& timeline);

}  // namespace spillway
