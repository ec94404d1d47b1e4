// Changes that would help: the job is evaluated again with one change at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "evaluate/fit.h"
#include "experiment/experiment.h"
#include "json/settings.h"

namespace spillway {

// A change of a job, as settings of --set.
struct JobChange {
  std::string words;              // "cluster links (nic) twice as fast"
  std::vector<Setting> settings;  // at least one
};

// Returns "node and supernode links (ub)": the tiers of a port of the platform, and its name.
std::string words_for_links(const Platform& platform, const NetworkPort& port);

// Returns the changes to try on the experiment's only schedule. Ideal machines come first
// (experiment/what_if.h), then the user's choices. Each parallel size is doubled, with half the replicas and
// twice the microbatches in each, or else with twice the devices. A change may turn out to be impossible, or
// to have no effect. `schedule` is the schedule's index in the document.
std::vector<JobChange> changes_worth_trying(const Experiment& experiment, std::size_t schedule);

// Reads the experiment of the explained schedule alone with these additional settings
// (explain/schedule_alone.h). So the other schedules of the file do not restrict the changes. Throws
// InputError if the settings are impossible.
using ReadAgain = std::function<Experiment(const std::vector<Setting>&)>;

struct TriedChange {
  JobChange change;
  // The reason in one line if the change is impossible, else empty. If set, the fields below have no meaning.
  std::string refusal = {};
  Seconds makespan = {};      // mean over the draws, by the longest path
  std::uint64_t devices = 1;  // of the changed job; ranks times replicas if durations are given
  // The saved share of device time for each microbatch: 1 - (t' D' / M' R') / (t D / M R) for makespan t, D
  // devices, M microbatches and R replicas. It is 1 - t' / t if devices and microbatches stay the same.
  double gain = 0;
  std::optional<bool> fits = {};  // within the memory limit; nothing if memory or limit is unknown
};

// Returns the changes with the largest gain first and impossible ones last. Changes without an effect are
// left out. Fits are not repeated: fitted parameters keep the values in `fitted`. Each makespan is that of
// evaluate_point() for the changed experiment. `schedule` is an index into the document's schedules.
std::vector<TriedChange> what_would_help(std::size_t schedule, const std::vector<FittedParameter>& fitted,
                                         const ReadAgain& read_again);

}  // namespace spillway
