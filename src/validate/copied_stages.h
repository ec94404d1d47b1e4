// A trace whose stages are copies: each microbatch passes one of them. A transposed region has a copy on
// every rank, DualPipe two of each stage. No stage of a copy computes every microbatch, or the others compute
// none, so that the trace is no pipeline as pipeline.h (src/traces) reads one. Neither is one whose first
// stages run no backward, as those of a frozen encoder in a pipelined region of its own. It is read here,
// too.
//
// Idea: the trace itself has the order. A rank runs its passes in the order of their starts. A pass takes the
// output, or the gradient, of the microbatch's stage before it, and the message between the two if they are
// on different ranks. A message leaves after the pass that its rank began before it.
//
// Some passes wait for more than the trace's stages show: a rank may gather all outputs before it begins. A
// pass that begins when a message for another pass arrives is taken to wait for it; a note counts these.
//
// Example: 0F0 on rank 0 and 1F1 on rank 1 are one transposed stage; 2F0, 2F1 and 3F0, 3F1 a pipeline behind
// it.
//
// The clocks of ranks are taken as they are. Cost: O(n log n) in the events. Tests:
// tests/validate/copied_stages_test.cpp.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "derive/derive.h"
#include "traces/events/trace.h"
#include "traces/pipeline/measured_job.h"
#include "traces/pipeline/pipeline.h"
#include "validate/replay.h"

namespace spillway {

struct CopiedStages {
  std::uint32_t ranks, stages, microbatches, replicas;
  TransferMode transfers;
  ScheduleMatch match;
  std::shared_ptr<const Derived> derived;  // a stage for each of the trace
  MeasuredTimes times;                     // a lane for each of `steps`
  std::vector<MeasuredStep> steps;         // with their step, replica and collectives alone
  std::vector<Note> notes;
};

// Returns true if the trace has copies of stages: some stages compute all microbatches or none do, and of the
// others every microbatch passes equally many, at least one, where no two have the same microbatches. If one
// rank alone computes a transposed region, the other ranks' copies compute nothing.
bool has_copied_stages(const Trace& trace);

// Returns the number of stages from 0 on that run no backward in any step, if all stages run all
// microbatches, every later stage runs backwards, and each rank has one of these. Otherwise 0: the trace may
// lack what a rank did.
std::uint32_t frozen_stages(const Trace& trace);

// Steps in another order than the first are dropped, and counted. Contract: has_copied_stages or
// frozen_stages.
CopiedStages copied_stages(const Trace& trace);
// The same with messages that occupy their senders, or do not.
CopiedStages copied_stages(const Trace& trace, PointToPoint mode);

}  // namespace spillway
