#include "compare/parts.h"

#include <array>
#include <map>
#include <string>
#include <utility>

#include "report/step/activity.h"
#include "validate/replay.h"

namespace spillway {
namespace {

using PathPart = std::pair<const char*, Seconds CriticalPathShares::*>;
constexpr std::array<PathPart, 8> kPathParts = {
    {{"transposed_forward", &CriticalPathShares::transposed_forward},
     {"transposed_backward", &CriticalPathShares::transposed_backward},
     {"forward", &CriticalPathShares::forward},
     {"backward", &CriticalPathShares::backward},
     {"overlapped", &CriticalPathShares::overlapped},
     {"transfers", &CriticalPathShares::transfers},
     {"reductions", &CriticalPathShares::reductions},
     {"planning", &CriticalPathShares::planning}}};

Seconds mean_over_ranks(const std::vector<LaneParts>& lanes, Seconds Components::*part) {
  Seconds sum;
  for (const LaneParts& lane : lanes)
    for (const Components& rank : lane.ranks) sum += rank.*part / static_cast<double>(lane.ranks.size());
  return sum / static_cast<double>(lanes.size());
}

}  // namespace

std::vector<std::string> critical_path_names() {
  std::vector<std::string> names;
  for (const auto& [name, part] : kPathParts) names.emplace_back(name);
  return names;
}

Parts critical_path_parts(const std::vector<CriticalPathShares>& draws) {
  const auto count = static_cast<double>(draws.size());
  Parts parts;
  for (const CriticalPathShares& draw : draws) parts.length += draw.total() / count;
  for (const auto& [name, part] : kPathParts) {
    Seconds sum;
    for (const CriticalPathShares& draw : draws) sum += draw.*part / count;
    parts.parts.push_back({name, sum});
  }
  return parts;
}

Parts passes_parts(const std::vector<LaneParts>& lanes) {
  Parts parts;
  for (const LaneParts& lane : lanes) parts.length += lane.span / static_cast<double>(lanes.size());
  for (const ComponentName& name : kComponentNames)
    parts.parts.push_back({name.text, mean_over_ranks(lanes, name.part)});
  return parts;
}

Parts passes_parts(const SideEvents& events) {
  const Order& order = events.derived->order;
  const std::vector<Interval> all = spans(order, events.timeline);
  std::vector<LaneParts> lanes;
  for (std::uint32_t lane = 0; lane < all.size(); ++lane)
    lanes.push_back({all[lane].length(), components(order, events.timeline, lane, all[lane])});
  return passes_parts(lanes);
}

std::vector<RankTime> times_by_rank(const SideEvents& events) {
  const Order& order = events.derived->order;
  const std::uint32_t lanes = events.timeline.end.lanes();
  std::map<std::pair<RankId, Activity>, Seconds> sums;
  for (std::uint32_t index = 0; index < order.event_count(); ++index) {
    const Event& event = order.event(EventId(index));
    const Activity activity = activity_of(*events.derived, event);
    if (activity == Activity::Bookkeeping || (event.kind == EventKind::Collective && !event.transfers()))
      continue;
    Seconds& sum = sums[{event.rank, activity}];
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
      sum += (events.timeline.end.at(EventId(index), lane) - events.timeline.start.at(EventId(index), lane)) /
             lanes;
  }
  std::vector<RankTime> times;
  for (const auto& [key, sum] : sums) times.push_back({key.first, std::string(to_string(key.second)), sum});
  return times;
}

Parts rank_parts(Seconds computing, Seconds communication, Seconds waiting) {
  return {computing + communication + waiting,
          {{"computing", computing}, {"communication", communication}, {"waiting", waiting}}};
}

}  // namespace spillway
