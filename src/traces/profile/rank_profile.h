// One process of a job, from its events. Private to src/traces.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "traces/profile/job_profile.h"
#include "traces/profile/process_events.h"

namespace spillway {

// `rank` is left at 0. Sets the phases of the events' work. Throws InputError if there is no work, or a clock
// ran backwards: steps whose numbers fall, or nearly all work before its launch.
ProfiledRank rank_profile(ProcessEvents& events);

// The passes of a stretch of work, which is sorted as ProcessEvents::work is. A pass is a run of work of one
// direction in the order of launches. Runs that take less than a tenth of the longest of their direction, as
// of a norm or a log line, are no pass, and what they part is one. Empty without a backward.
struct PassOfWork {
  ProfiledPass pass;
  std::vector<const DeviceWork*> work;  // that computes
};
std::vector<PassOfWork> work_passes(std::span<const DeviceWork> work);

// Messages by kind and phase, most time first.
std::vector<CollectiveUse> collective_uses(const ProcessEvents& events);

}  // namespace spillway
