// What is said of groups that straddle a tier (cost/placement.h), and of devices left empty so that none
// does.
#pragma once

#include <vector>

#include "base/warning.h"
#include "evaluate/evaluation.h"

namespace spillway {

// A warning "straddling" for each kind of group that does: tensor- and context-parallel, expert-parallel, a
// stage's data-parallel one; a warning "aligned" where devices stay empty instead. Empty where durations are
// given.
std::vector<Warning> straddling_warnings(const Experiment& experiment);

// Those warnings with what the experiment's schedules would take (longest path, the first draws) were whole
// groups kept together, or not; `fitted` are set before.
std::vector<Warning> priced_straddling_warnings(Experiment experiment,
                                                const std::vector<FittedParameter>& fitted);

}  // namespace spillway
