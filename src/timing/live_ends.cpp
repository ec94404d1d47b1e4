#include "timing/live_ends.h"

#include <span>

namespace spillway {
namespace {

// By event the last one that waits for it; itself where none does.
std::vector<std::uint32_t> last_readers(const EssentialEdges& edges) {
  const auto events = static_cast<std::uint32_t>(edges.first.size() - 1);
  std::vector<std::uint32_t> last(events);
  for (std::uint32_t event = 0; event < events; ++event) {
    last[event] = event;
    for (std::uint32_t i = edges.first[event]; i < edges.first[event + 1]; ++i)
      last[edges.predecessors[i]] = event;
  }
  return last;
}

}  // namespace

LiveRows live_rows(const EssentialEdges& edges) {
  std::vector<std::uint32_t> last = last_readers(edges), free;
  LiveRows rows{std::vector<std::uint32_t>(last.size()), kZeroRow + 1};
  for (std::uint32_t event = 0; event < last.size(); ++event) {
    for (std::uint32_t i = edges.first[event]; i < edges.first[event + 1]; ++i) {
      std::uint32_t& reader = last[edges.predecessors[i]];
      if (reader != event) continue;
      free.push_back(rows.of[edges.predecessors[i]]);
      reader = edges.predecessors[i];  // once, even where two edges lead here
    }
    if (free.empty()) free.push_back(rows.count++);
    rows.of[event] = free.back();
    if (last[event] != event) free.pop_back();
  }
  return rows;
}

}  // namespace spillway
