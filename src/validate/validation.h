// Compares a measured pipeline with replays of its own order: with the measured durations, with their means,
// and with the cost model's.
//   replayed            every compute and transfer as measured
//   constant_transfer   every transfer takes the job's typical time
//   means_only          every compute takes the mean of its (stage, direction) over all steps and replicas
//   means_per_replica   the same over the steps of each replica
//   other_mode          as replayed, but with transfers that block if the trace's overlap, and that overlap
//   if
//                       the trace's block
//   model               every duration from the cost model
// All are spans, from the start of the first forward to the end of the last backward.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error_summary.h"
#include "traces/events/trace.h"
#include "traces/pipeline/measured_job.h"
#include "traces/pipeline/pipeline.h"
#include "traces/samples/pass_kernels.h"
#include "validate/components.h"
#include "validate/model_replay.h"

namespace spillway {

struct RankComponents {
  Components measured;
  Components replayed;
  std::optional<Components> model;
};

// One step of one replica.
struct ValidatedStep {
  std::string step;  // as the file names it
  ReplicaId replica;
  Seconds measured;
  Seconds replayed;
  Seconds constant_transfer;
  Seconds means_only;
  Seconds means_per_replica;
  Seconds other_mode;
  std::optional<Seconds> model;
  std::vector<RankComponents> ranks;
};

// The events of one step, measured and replayed with the measured durations. Times count from the start of
// its first event. Each timeline has one lane.
struct StepTimelines {
  std::shared_ptr<const Derived> derived;
  Timeline measured;
  Timeline replayed;
};

struct Validation {
  std::string format;
  std::vector<std::string> files;
  ScheduleMatch match;
  std::uint32_t ranks;
  std::uint32_t stages;
  std::uint32_t microbatches;
  std::uint32_t replicas;
  TransferMode transfers;
  Seconds typical_transfer;
  std::vector<ValidatedStep> cases;  // in the order of MeasuredPipeline::steps
  std::vector<MeanPass> kernels;     // kernels of the passes; empty if the trace has none
  std::vector<Note> notes;           // of the trace, the pipeline and the comparison
  StepTimelines first = {};          // of the first of `cases`
};

// Prices nothing without `model`. Throws InputError if the measured order is invalid, or if the experiment
// cannot be cut into the trace's stages.
Validation validate_trace(const Trace& trace, const MeasuredPipeline& pipeline, const ScheduleMatch& match,
                          const ModelSource* model = nullptr);

// The same for a trace with copies of stages (copied_stages.h). No model is priced.
Validation validate_copies(const Trace& trace);

// Errors of a replay over the cases, relative to the measured span.
ErrorSummary span_errors(const Validation& validation, Seconds ValidatedStep::*replay);
// Errors of the model over the cases, or nothing if no model was priced.
std::optional<ErrorSummary> model_errors(const Validation& validation);

}  // namespace spillway
