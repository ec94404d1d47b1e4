#include <algorithm>
#include <map>
#include <tuple>

#include "traces/profile/rank_profile.h"

namespace spillway {

std::vector<CollectiveUse> collective_uses(const ProcessEvents& events) {
  std::map<std::pair<std::uint32_t, PassPhase>, CollectiveUse> uses;
  std::map<std::uint32_t, std::size_t> counts;
  for (const DeviceWork& work : events.work) {
    if (work.message == kUnknown) continue;
    const MessageKind& kind = events.messages[work.message];
    CollectiveUse& use = uses[{work.message, work.phase}];
    if (use.count++ == 0) use = {kind.operation, kind.devices, kind.group, work.phase, 1, Seconds(), {}};
    use.time += work.duration();
    ++counts[work.message];
  }
  std::vector<CollectiveUse> all;
  for (auto& [key, use] : uses) {
    const MessageKind& kind = events.messages[key.first];
    const bool alone = use.count == counts[key.first];
    if (alone && kind.sized == use.count) use.bytes = Bytes(kind.bytes);
    all.push_back(std::move(use));
  }
  std::ranges::stable_sort(all, std::greater<>(), &CollectiveUse::time);
  return all;
}

}  // namespace spillway
