// The device's work with the calls of the host that launched it. Private to src/traces.
#pragma once

#include <cstdint>
#include <vector>

#include "traces/profile/process_events.h"

namespace spillway {

struct WorkLaunch {
  std::uint64_t correlation;
  Seconds at;
  std::uint32_t thread;
};

// Gives each piece of `events.work` the launch with its correlation, of which 0 is none, and counts those
// that have none. Leaves out work from before the first launch of the profile, with a note. Sorts the work by
// issued(), then start. Contract: as many correlations as work.
void link_work(ProcessEvents& events, std::vector<WorkLaunch> launches,
               const std::vector<std::uint64_t>& correlations);

}  // namespace spillway
