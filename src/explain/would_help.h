// What would help: the job evaluated again with one thing changed at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "evaluate/fit.h"
#include "experiment/experiment.h"
#include "json/setting.h"

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

// The experiment of the explained schedule alone, read again with these settings on top: no other schedule of
// the file has a say in what is tried (explain/schedule_alone.h). Throws InputError where the
// settings make it impossible.
using ReadAgain = std::function<Experiment(const std::vector<Setting>&)>;

struct TriedChange {
  JobChange change;
  // Nothing below is known where it cannot be: why not, in one line.
  std::string refusal = {};
  Seconds makespan = {};      // mean over the draws, by the longest path
  std::uint64_t devices = 1;  // of the changed job; ranks times replicas where durations are given
  // What is saved of the time that one microbatch takes of one device: 1 - (t' D' / M' R') / (t D / M R),
  // which is 1 - t' / t where devices and microbatches stay.
  double gain = 0;
  std::optional<bool> fits = {};  // into the memory limit; nothing where either is not known
};

// The largest gain first, what cannot be last; what is said to change nothing is left out. What the
// experiment fits stays fitted to what it was: `fitted` are its values. Each makespan is what
// evaluate_point() gives of the changed experiment. `schedule` is an index into the document's schedules.
std::vector<TriedChange> what_would_help(std::size_t schedule, const std::vector<FittedParameter>& fitted,
                                         const ReadAgain& read_again);

}  // namespace spillway
