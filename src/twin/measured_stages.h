// The stages that a measured run may have: those of the experiment's schedules. Private to src/twin.
#pragma once

#include <string>
#include <vector>

#include "derive/derive.h"
#include "experiment/experiment.h"
#include "twin/trace_rows.h"

namespace spillway {

struct StagedSchedule {
  std::string name;
  std::vector<Stage> stages;
};

// The experiment's schedules with the layers of their stages, as far as nobody plans them; with
// `choice.schedule`, that one. `others` lists the rest, with why.
struct StagedSchedules {
  std::vector<StagedSchedule> all;
  std::string others;
};
StagedSchedules staged_schedules(const Experiment& experiment, const TraceChoice& choice);

// Returns the first schedule in which every rank has one stage. Its stages are by rank. Throws InputError for
// `file`, which has times of whole ranks.
StagedSchedule one_stage_on_each_rank(const Experiment& experiment, const TraceChoice& choice,
                                      const std::string& file);

// Throws InputError if `choice` has steps: times of `file` are means over its steady steps.
void require_all_steps(const TraceChoice& choice, const std::string& file);

// Returns the pipeline rank that `file` was measured on: the chosen one, or the only one. Throws InputError
// if it is open, or if there is no such rank.
std::uint32_t measured_rank(const Experiment& experiment, const TraceChoice& choice, const std::string& file);

// The content of the experiment's microbatches, as MeasuredRow has it.
struct MicrobatchContents {
  std::string tokens, patches;
  bool drawn;  // of kDrawnMicrobatches or some more of the first draws, of which times are means

  // A sentence without a full stop for a reader of the result; empty unless images are drawn.
  std::string note() const;
};
// Enough that their mean work is within a few percent of any other draw's.
inline constexpr std::size_t kDrawnMicrobatches = 256;
MicrobatchContents microbatch_contents(const Experiment& experiment);

// "2x2048": the tokens of a microbatch, and "784 1024": the patches of its images.
std::string tokens_text(const DrawLoads& loads, ReplicaId replica, MicrobatchId microbatch);
std::string patches_text(const MicrobatchLoad& load);

}  // namespace spillway
