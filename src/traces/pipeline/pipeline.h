// A trace read as pipeline steps: which rank ran which stage on which microbatch, when, and what went
// between.
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
// the other, waiting included in its duration, so the transfer itself takes no longer than the shorter of the
// two.
struct MeasuredTransfer {
  std::optional<Interval> sent;
  std::optional<Interval> received;

  // The smaller of a send and its matching receive; of one side alone, nothing certain: absent.
  std::optional<Seconds> time() const;
};

// A pass that the trace splits has `backward` for the gradient of the input and `weight`; a whole one has
// `backward` alone.
struct MeasuredPasses {
  Interval forward;
  Interval backward;
  std::optional<Interval> weight;
};

// One step of one replica. Times from Trace::origin, clocks aligned. Transfers have a row for each stage but
// the last; between two stages of one rank nothing is sent, and transfers there have no sides.
struct MeasuredStep {
  std::uint32_t step;  // index into Trace::steps
  ReplicaId replica;
  std::vector<std::vector<MeasuredPasses>> passes;         // [stage][microbatch]
  std::vector<std::vector<MeasuredTransfer>> activations;  // [stage][microbatch]: from stage to stage + 1
  std::vector<std::vector<MeasuredTransfer>> gradients;    // [stage][microbatch]: from stage + 1 to stage
  std::vector<std::vector<Interval>> collectives;          // [rank], ascending; joined where they overlap
  std::vector<RankOrder> order;                            // by rank, as the trace's clock has it

  // From the first forward's start to the last backward's end.
  Interval span() const;
};

// Stage s is on rank placement.stage_rank[s]; placement.orders is what most steps do.
struct MeasuredPipeline {
  std::uint32_t ranks;
  std::uint32_t stages;
  std::uint32_t microbatches;
  std::uint32_t replicas;
  PlacedOrders placement;
  std::vector<MeasuredStep> steps;  // those that are whole, by step, then replica
  std::vector<Seconds> clock;       // added to each rank's own clock: [replica * ranks + rank]
  std::vector<Note> notes;
};

// Pairs transfers (measured_step.h), aligns the ranks' clocks on them (clock_alignment.h), and finds ranks,
// stages, microbatches and orders. Steps that lack a pass or have one twice, or another number of
// microbatches than most, are dropped and counted. Throws InputError, `file` named, where no step is whole:
// no forward or backward at all, a rank that never appears, microbatches without numbers, a stage on two
// ranks. Contract: the trace is normalised. O(n log n) in the events.
MeasuredPipeline measured_pipeline(const Trace& trace);

// The schedule that a pipeline follows: a known one whose ranks take the same passes in the same order, or
// "listed" with what differs from the nearest one.
struct ScheduleMatch {
  std::string schedule;                // text form: "1f1b", "1f1b,1f1b", "listed"
  std::uint32_t microbatch_group = 0;  // of interleaved 1F1B where it is not the default
  std::string nearest;  // of "listed": the known schedule whose slots lie the least apart from the trace's;
                        // empty where no known one places its stages like this
  std::vector<Note> differences;  // from the nearest, the first few by rank and slot, then how many in all
};
// Looked for in the order of docs/schedules.md, so that of two that are the same at this size the simpler
// one is named; interleaved 1F1B with every group that Megatron takes. What is planned (zb-1p, zb-2p, v-half,
// v-min) is found where it was planned for equal times, or for the means of the trace's passes and transfers.
ScheduleMatch match_schedule(const MeasuredPipeline& pipeline);

}  // namespace spillway
