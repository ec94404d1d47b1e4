// One thing about a job changed, in the words of --set.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiment/experiment.h"
#include "spec/json/setting.h"

namespace spillway {

struct JobChange {
  std::string words;              // "links twice as fast"
  std::vector<Setting> settings;  // one at least
};

// What may be worth trying on the one schedule of the experiment: what no machine gives first
// (experiment/what_if.h), then what a user can choose. Sizes of parallelism are doubled for half the
// replicas, of twice the microbatches each, or else on twice the devices. Some may turn out impossible, or to
// change nothing. `schedule` is its index in the document.
std::vector<JobChange> changes_worth_trying(const Experiment& experiment, std::size_t schedule);

}  // namespace spillway
