// What the software that an experiment does not name could be worth.
#pragma once

#include <optional>

#include "evaluate/evaluation.h"

namespace spillway {

// Returns "no-framework" if operators and collectives are priced on a platform and no framework is stated.
// The sentence has the step times of the evaluation's fastest schedule, on the first draw, under the shipped
// frameworks that train such a model there. They are left out if none does, or if the step has more than
// kMostForSoftware microbatches over all ranks.
inline constexpr std::uint64_t kMostForSoftware = 1 << 16;
std::optional<Warning> unstated_software(const Experiment& experiment, const Evaluation& evaluation);

}  // namespace spillway
