#include "traces/profile/device_time.h"

#include <algorithm>

#include "base/error.h"

namespace spillway {
namespace {

template <class Takes>
std::vector<Interval> united(const std::vector<DeviceWork>& work, Takes takes) {
  std::vector<Interval> intervals;
  for (const DeviceWork& one : work)
    if (takes(one)) intervals.push_back({one.start, one.end});
  return union_of(std::move(intervals));
}

// Operators of the host are their own launches, so every gap between them is the host's.
bool waits_for_the_host(const std::optional<Seconds>& launch, const Interval& gap) {
  return launch && *launch >= gap.start;
}

// A gap waits for the host if the work that ends it was launched after the gap began. Of several pieces that
// start together, the first launched decides: the device could have begun with it.
std::vector<Interval> gaps_for_the_host(const std::vector<DeviceWork>& work,
                                        const std::vector<Interval>& busy) {
  std::vector<std::optional<Seconds>> launches(busy.size());
  for (const DeviceWork& one : work) {
    const auto at = std::ranges::lower_bound(busy, one.start, {}, &Interval::start);
    if (at == busy.end() || at->start != one.start) continue;
    auto& launch = launches[static_cast<std::size_t>(at - busy.begin())];
    if (one.launch && (!launch || *one.launch < *launch)) launch = one.launch;
  }
  std::vector<Interval> gaps;
  for (std::size_t i = 1; i < busy.size(); ++i) {
    const Interval gap{busy[i - 1].end, busy[i].start};
    if (waits_for_the_host(launches[i], gap)) gaps.push_back(gap);
  }
  return gaps;
}

}  // namespace

DeviceTimes::DeviceTimes(const ProcessEvents& events)
    : computing_(united(events.work, [](const DeviceWork& w) { return w.kind == WorkKind::Computing; })),
      communication_(
          united(events.work, [](const DeviceWork& w) { return w.kind == WorkKind::Communicating; })),
      computing_or_communication_(
          united(events.work, [](const DeviceWork& w) { return w.kind != WorkKind::Copying; })),
      busy_(united(events.work, [](const DeviceWork&) { return true; })),
      host_(gaps_for_the_host(events.work, busy_)) {
  ensure(!busy_.empty(), "a device's time is of some work");
}

DeviceTime DeviceTimes::in(const Interval& window) const {
  const Seconds computing = covered(computing_, window);
  const Seconds both = covered(computing_or_communication_, window);
  const Seconds busy = covered(busy_, window);
  const Seconds host = covered(host_, window);
  const Seconds length = window.length();
  return {computing,
          both - computing,
          busy - both,
          host,
          length - busy - host,
          length,
          covered(communication_, window)};
}

}  // namespace spillway
