// Whether a change has no effect, as far as the reader of experiments can tell.
#pragma once

#include <vector>

#include "experiment/experiment.h"
#include "json/settings.h"

namespace spillway {

// Returns true if the reader reports a setting as one without effect.
bool is_idle(const Experiment& changed, const std::vector<Setting>& settings);

}  // namespace spillway
