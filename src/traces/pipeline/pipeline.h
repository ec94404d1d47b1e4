// Reads a trace as pipeline steps: which rank ran which stage on which microbatch and when, and what was sent
// between ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/quantity.h"
#include "schedule/placed_orders.h"
#include "traces/events/trace.h"
#include "traces/events/union_of_intervals.h"

namespace spillway {

// Both sides of one transfer. Either may be missing from the trace. A side that was posted early waits for
// the other side, and its duration includes the wait. The transfer itself therefore takes no longer than the
// shorter side.
struct MeasuredTransfer {
  std::optional<Interval> sent;
  std::optional<Interval> received;

  // The shorter of a send and its matching receive. Absent if one side is missing, because one side alone
  // shows no certain time.
  std::optional<Seconds> time() const;
};

// The passes of one microbatch in one stage. If the trace splits the backward, `backward` is the gradient of
// the input and `weight` that of the weights. Otherwise `backward` is the whole backward.
struct MeasuredPasses {
  Interval forward;
  Interval backward;
  std::optional<Interval> weight;
};

// One step of one replica. Times count from Trace::origin on aligned clocks. Transfers have a row for each
// stage except the last. Two stages on one rank send nothing to each other, so their transfers have no sides.
struct MeasuredStep {
  std::uint32_t step;  // index into Trace::steps
  ReplicaId replica;
  std::vector<std::vector<MeasuredPasses>> passes;         // [stage][microbatch]
  std::vector<std::vector<MeasuredTransfer>> activations;  // [stage][microbatch]: from stage to stage + 1
  std::vector<std::vector<MeasuredTransfer>> gradients;    // [stage][microbatch]: from stage + 1 to stage
  std::vector<std::vector<Interval>> collectives;          // [rank], ascending; overlapping ones are joined
  std::vector<RankOrder> order;                            // by rank, in the order of the trace's clock

  // The span lasts from the first forward's start to the last backward's end.
  Interval span() const;
};

// Stage s is on rank placement.stage_rank[s]. placement.orders is the order that most steps take.
struct MeasuredPipeline {
  std::uint32_t ranks;
  std::uint32_t stages;
  std::uint32_t microbatches;
  std::uint32_t replicas;
  PlacedOrders placement;
  std::vector<MeasuredStep> steps;  // complete steps, by step, then replica
  std::vector<Seconds> clock;       // added to each rank's own clock: [replica * ranks + rank]
  std::vector<Note> notes;
};

// Pairs transfers (measured_step.h), aligns the ranks' clocks on them (clock_alignment.h), and finds ranks,
// stages, microbatches and orders. A step is dropped and counted if it lacks a pass, has one twice, or has
// another number of microbatches than most. Throws InputError that names the trace's file if no step is
// complete: no forward or backward at all, a rank that never appears, microbatches without numbers, a stage
// on two ranks. Contract: the trace is normalised. O(n log n) in the events.
MeasuredPipeline measured_pipeline(const Trace& trace);

// The schedule that a pipeline follows. It is a known schedule whose ranks take the same passes in the same
// order, or "listed" with the differences from the nearest one.
struct ScheduleMatch {
  std::string schedule;                // text form: "1f1b", "1f1b,1f1b", "listed"
  std::uint32_t microbatch_group = 0;  // of interleaved 1F1B, if not the default
  std::string nearest;  // of "listed": the known schedule whose slots are closest to the trace's; empty if
                        // none places its stages so
  std::vector<Note> differences;  // from the nearest: the first few by rank and slot, then the total
};
// Tries the schedules in the order of docs/schedules.md. If two are the same at this size, the simpler one is
// named. Interleaved 1F1B is tried with every group that Megatron allows. A planned schedule (zb-1p, zb-2p,
// v-half, v-min) is found if it was planned for equal times, or for the mean times of the trace's passes and
// transfers.
ScheduleMatch match_schedule(const MeasuredPipeline& pipeline);

}  // namespace spillway
