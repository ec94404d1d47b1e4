#include "traces/formats/kernel_ranges.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace spillway {
namespace {

using PassKey = std::tuple<TraceKind, std::uint16_t, std::uint32_t>;

PassKey key_of(const TraceEvent& event) {
  return {event.kind, event.stage, event.microbatch};
}

// Passes in the order in which they were last seen.
class Recent {
 public:
  // How many others were seen since; `key` is then the last one seen.
  std::size_t others_since(const PassKey& key) {
    const auto seen = std::find(keys_.rbegin(), keys_.rend(), key);
    const auto others = static_cast<std::size_t>(seen - keys_.rbegin());
    if (seen != keys_.rend()) keys_.erase(std::prev(seen.base()));
    keys_.push_back(key);
    return others;
  }

 private:
  std::vector<PassKey> keys_;
};

}  // namespace

std::vector<TraceEvent> ranges_of_kernels(std::vector<TraceEvent> kernels) {
  std::ranges::stable_sort(kernels, {}, &TraceEvent::start);
  std::set<PassKey> all;
  for (const TraceEvent& kernel : kernels) all.insert(key_of(kernel));
  std::vector<TraceEvent> ranges;
  std::map<PassKey, std::size_t> open;  // index into ranges
  Recent recent;
  for (const TraceEvent& kernel : kernels) {
    const std::size_t others = recent.others_since(key_of(kernel));
    const auto known = open.find(key_of(kernel));
    const bool again = known != open.end() && all.size() > 1 && 2 * others >= all.size();
    if (known == open.end() || again) {
      open[key_of(kernel)] = ranges.size();
      ranges.push_back(kernel);
      continue;
    }
    TraceEvent& range = ranges[known->second];
    range.duration = std::max(range.end(), kernel.end()) - range.start;
  }
  return ranges;
}

}  // namespace spillway
