// Warnings: sentences that a reader of a result has to know. `run`, `explain`, `compare`, sweeps and `plan`
// print them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/warning.h"
#include "draws/costs.h"
#include "evaluate/engines.h"
#include "evaluate/evaluation.h"
#include "evaluate/point.h"

namespace spillway {

// Returns the evaluation of `read` by `engines` with its warnings, and those of each schedule. If references
// were run, it also runs variants of the job, and warnings say what another choice would take.
Evaluation warned(Evaluation evaluation, const Experiment& read, const Engines& engines);

// Returns evaluate_point() with the warnings that concern all schedules.
PointOutcome warned_point(const Experiment& experiment, Caches& caches);
PointOutcome warned_point(DrawCosts& costs, OrderCache& orders, const PointWork& work = {});

// Warns of what the platform and the software leave unsaid, so that times cannot be compared with those of
// another platform, or leave a known class of error out. Empty if durations are given.
//   at-peak               the platform has no measured matrix products and no efficiency for them, and some
//                         block states no efficiency of its own
//   host-not-stated       images are encoded, and the host that launches kernels is assumed
//   sustained-not-stated  the platform states no sustained-rate factor, which others state
std::vector<Warning> platform_warnings(const Experiment& experiment);

// "no-effect": one warning for all keys of one name that change nothing for the same reason.
std::vector<Warning> warnings_of(const std::vector<IdleKey>& idle);

// "dropped-data": one warning for each workload whose samples lose data.
std::vector<Warning> warnings_of(const std::vector<WorkloadUse>& uses);

// kDoesNotFit: a draw of the schedule needs more memory than the limit.
inline constexpr std::string_view kDoesNotFit = "does-not-fit";
std::vector<Warning> memory_warnings(const Evaluation& evaluation, const ScheduleResult& schedule);

// "straddling": one warning for each kind of group that straddles a tier (cost/placement.h): tensor- and
// context-parallel, expert-parallel, and a stage's data-parallel groups. "aligned": devices stay empty so
// that no group does. Empty if durations are given.
std::vector<Warning> straddling_warnings(const Experiment& experiment);

// Returns the same warnings with the step times (longest path, the first draws) that the experiment's
// schedules would have if whole groups were kept together, or if they were not. Sets the `fitted` parameters
// first.
std::vector<Warning> priced_straddling_warnings(Experiment experiment,
                                                const std::vector<FittedParameter>& fitted);

// Returns the schedule without the transposed regions behind its last pipelined region, which takes their
// layers, with "split": "balanced". The pipeline may be faster than a transposed last region if the layers
// split evenly over its stages, or if few microbatches hide little. Empty if no region is behind the last
// pipelined one, or if the model or a listed order does not allow it.
std::optional<ScheduleSpec> with_sink_in_pipeline(const Experiment& experiment, const ScheduleSpec& schedule);

// "transposed-sink": the schedule's step is more than 1 % longer than that of with_sink_in_pipeline(), by the
// mean longest path over all draws, and the latter is not known to exceed the memory. Sets the `fitted`
// parameters first.
std::vector<Warning> sink_warnings(Experiment experiment, const ScheduleSpec& schedule,
                                   const std::vector<FittedParameter>& fitted);

// Returns, for example, "the accelerator's 64 GB" or "the limit of 64 GB".
std::string limit_text(const MemoryLimit& limit);

// Returns, for example, "1.235 s", for a sentence.
std::string seconds_text(Seconds time);

}  // namespace spillway
