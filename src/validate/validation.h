// A measured pipeline held against three replays of its own order: with the durations that were measured,
// with their means, and with the cost model's.
//   replayed            every compute and transfer as measured
//   constant_transfer   every transfer takes the job's typical time
//   means_only          every compute takes the mean of its (stage, direction) over all steps and replicas
//   means_per_replica   the same over the steps of each replica
//   other_mode          as replayed, but with transfers that block where the trace's overlap, or overlap
//                       where its block
//   model               every duration from the cost model
// All are spans: from the start of the first forward to the end of the last backward.
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

// One step event by event, from the start of its first event: as measured, and as replayed with the durations
// that were measured. One lane.
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
  std::vector<MeanPass> kernels;     // what fills the passes; empty where the trace has no kernels
  std::vector<Note> notes;           // the trace's, the pipeline's, those of the comparison
  StepTimelines first = {};          // of the first of `cases`
};

// Without `model` nothing is priced. Throws InputError where the measured order is none, or the experiment
// cannot be cut into the trace's stages.
Validation validate_trace(const Trace& trace, const MeasuredPipeline& pipeline, const ScheduleMatch& match,
                          const ModelSource* model = nullptr);

// Relative errors of a replay over the cases, the measured span being 1.
ErrorSummary span_errors(const Validation& validation, Seconds ValidatedStep::*replay);
// Nothing where no model was priced.
std::optional<ErrorSummary> model_errors(const Validation& validation);

}  // namespace spillway
