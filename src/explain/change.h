// One thing about a job changed, in the words of --set.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiment/experiment.h"
#include "json/settings.h"

namespace spillway {

struct JobChange {
  std::string words;              // "links twice as fast"
  std::vector<Setting> settings;  // one at least
};

// Returns the changes to try on the experiment's only schedule. Ideal machines come first
// (experiment/what_if.h), then the user's choices. Each parallel size is doubled, with half the replicas and
// twice the microbatches in each, or else with twice the devices. A change may turn out to be impossible, or
// to have no effect. `schedule` is the schedule's index in the document.
std::vector<JobChange> changes_worth_trying(const Experiment& experiment, std::size_t schedule);

}  // namespace spillway
