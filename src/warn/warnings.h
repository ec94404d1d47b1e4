// What a reader of a result has to know, in sentences. `run`, `explain`, `compare`, sweeps and `plan` print
// them.
#pragma once

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

// "1.235 s", for a sentence.
std::string seconds_text(Seconds time);

}  // namespace spillway
