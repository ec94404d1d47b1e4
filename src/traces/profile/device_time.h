// How a device spends its time: computing, exposed communication and copies, idle for the host, idle
// otherwise. Private to src/traces, except for reports.
//
// Example: kernels at 0-4 and 6-9, an all-reduce at 3-5, the second kernel launched at 5.5. Of 9, 7 compute,
// 1 is exposed communication (4-5), and 1 is idle (5-6), for the host: the launch came after the device was
// done.
//
// HTA calls these compute, non-compute (communication and copies together) and idle; its host_wait is our
// host, by stream where ours is of the device (https://hta.readthedocs.io, temporal and idle time breakdown).
// tests/traces/device_time_test.cpp compares with a slow walk over every instant.
#pragma once

#include <vector>

#include "base/quantity.h"
#include "traces/events/union_of_intervals.h"
#include "traces/profile/process_events.h"

namespace spillway {

// The first five sum to `window`.
struct DeviceTime {
  Seconds computing;
  Seconds communication;  // while nothing computes
  Seconds copies;         // while nothing computes or communicates
  Seconds host;           // idle, until work that was launched only after the device had become idle
  Seconds idle;           // for any other reason, or for one that the file does not show
  Seconds window;
  Seconds all_communication;  // hidden or not
};

// The times of one process's device, for any window. Building it is O(n log n), a window is linear in its
// intervals.
class DeviceTimes {
 public:
  explicit DeviceTimes(const ProcessEvents& events);

  // From the first start to the last end. Contract: there is work.
  Interval whole() const { return {busy_.front().start, busy_.back().end}; }
  DeviceTime in(const Interval& window) const;

 private:
  std::vector<Interval> computing_, communication_, computing_or_communication_, busy_;
  std::vector<Interval> host_;  // gaps between the intervals of busy_ that wait for the host
};

}  // namespace spillway
