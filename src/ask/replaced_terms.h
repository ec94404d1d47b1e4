// Names the keys beside the layout that an experiment and a job state differently. Private to src/ask.
#pragma once

#include <string>
#include <vector>

#include "experiment/experiment.h"
#include "json/node.h"

namespace spillway {

struct StatedExperiment {
  const Node& document;  // with whole paths
  const Experiment& experiment;
};

// Returns the keys that differ: "what_if", "parallel/images". Empty for an experiment as `plan --write`
// writes it. The framework has a note of its own (asked_framework.h). Contract: both are on a platform, and
// have the same layout.
std::vector<std::string> replaced_terms(const StatedExperiment& own, const StatedExperiment& planned);

}  // namespace spillway
