#include "traces/profile/linked_work.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace spillway {
namespace {

void set_launches(ProcessEvents& events, const std::vector<WorkLaunch>& launches,
                  const std::vector<std::uint64_t>& correlations) {
  for (std::size_t i = 0; i < events.work.size(); ++i) {
    const auto launch = std::ranges::lower_bound(launches, correlations[i], {}, &WorkLaunch::correlation);
    const bool known = launch != launches.end() && launch->correlation == correlations[i];
    if (!known) {
      ++events.unlinked;
      continue;
    }
    DeviceWork& work = events.work[i];
    work.launch = launch->at;
    work.thread = launch->thread;
    if (work.start < launch->at) ++events.early;
  }
}

// A profile begins while the device still works on what was launched before.
void drop_work_from_before(ProcessEvents& events) {
  std::optional<Seconds> first;
  for (const DeviceWork& work : events.work)
    if (work.launch) first = std::min(first.value_or(work.start), work.start);
  if (!first) return;
  const std::size_t dropped =
      std::erase_if(events.work, [&](const DeviceWork& work) { return !work.launch && work.start < *first; });
  events.unlinked -= dropped;
  if (dropped > 0)
    events.notes.push_back({NoteKind::Dropped, dropped,
                            "pieces of the device's work that were launched before the profile began"});
}

}  // namespace

void link_work(ProcessEvents& events, std::vector<WorkLaunch> launches,
               const std::vector<std::uint64_t>& correlations) {
  std::ranges::sort(launches, {}, [](const WorkLaunch& one) { return std::pair(one.correlation, one.at); });
  set_launches(events, launches, correlations);
  drop_work_from_before(events);
  const auto issued = [](const DeviceWork& work) { return std::pair(work.issued(), work.start); };
  std::ranges::stable_sort(events.work, {}, issued);
}

}  // namespace spillway
