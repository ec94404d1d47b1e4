// What a reader of a result has to know, in sentences. `run`, `explain`, `compare`, sweeps and `plan` print
// them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/warning.h"
#include "draws/costs.h"
#include "evaluate/engines.h"
#include "evaluate/evaluation.h"
#include "evaluate/point.h"

namespace spillway {

// The evaluation of `read` by `engines`, with the warnings of all its schedules and those of each one. If
// references were run, variants of the job are run too: warnings then say what another choice would take.
Evaluation warned(Evaluation evaluation, const Experiment& read, const Engines& engines);

// evaluate_point() with the warnings of all schedules.
PointOutcome warned_point(const Experiment& experiment, Caches& caches);
PointOutcome warned_point(DrawCosts& costs, OrderCache& orders);

// What makes the times of one platform no measure for those of another; empty where durations are given.
//   at-peak               it has neither measured products nor an efficiency of them, and a block has none of
//   its own sustained-not-stated  it does not say what of an operator's rate a long run keeps, as others do
std::vector<Warning> platform_warnings(const Experiment& experiment);

// "no-effect", one for all keys of a name that change nothing for one reason.
std::vector<Warning> warnings_of(const std::vector<IdleKey>& idle);

// "dropped-data" for each workload whose samples lose anything.
std::vector<Warning> warnings_of(const std::vector<WorkloadUse>& uses);

// "does-not-fit" if a draw of the schedule needs more memory than the limit.
std::vector<Warning> memory_warnings(const Evaluation& evaluation, const ScheduleResult& schedule);

// A warning "straddling" for each kind of group that does: tensor- and context-parallel, expert-parallel, a
// stage's data-parallel one; a warning "aligned" where devices stay empty instead. Empty where durations are
// given.
std::vector<Warning> straddling_warnings(const Experiment& experiment);

// Those warnings with what the experiment's schedules would take (longest path, the first draws) were whole
// groups kept together, or not; `fitted` are set before.
std::vector<Warning> priced_straddling_warnings(Experiment experiment,
                                                const std::vector<FittedParameter>& fitted);

// A transposed last region against the same layers in the pipeline, shared out over its stages: where these
// come out even, or few microbatches hide little, the pipeline may be the faster one.
//
// The schedule without the transposes behind its last pipelined region, whose layers that region takes, with
// "split": "balanced". Nothing where none is behind it, or where the model or a listed order does not allow
// it.
std::optional<ScheduleSpec> with_sink_in_pipeline(const Experiment& experiment, const ScheduleSpec& schedule);

// "transposed-sink" where the schedule's step is more than a hundredth longer than that, by the mean of the
// longest paths of all draws, and that is not known not to fit the memory. `fitted` are set before.
std::vector<Warning> sink_warnings(Experiment experiment, const ScheduleSpec& schedule,
                                   const std::vector<FittedParameter>& fitted);

// "the accelerator's 64 GB", "the limit of 64 GB".
std::string limit_text(const MemoryLimit& limit);

// "1.235 s", for a sentence.
std::string seconds_text(Seconds time);

}  // namespace spillway
