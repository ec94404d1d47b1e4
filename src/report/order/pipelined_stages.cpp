#include "report/order/pipelined_stages.h"

#include <algorithm>

namespace spillway {

std::vector<std::optional<std::uint32_t>> first_stages(const Outline& derived) {
  std::vector<std::uint32_t> sizes(derived.regions.size());
  for (const Stage& stage : derived.stages) {
    std::uint32_t& size = sizes[stage.region.index()];
    size = std::max(size, stage.index + 1);
  }
  std::vector<std::optional<std::uint32_t>> firsts(derived.regions.size());
  std::uint32_t next = 0;
  for (std::size_t region = 0; region < sizes.size(); ++region) {
    if (derived.placement[region].layout != Layout::Sharded) continue;
    firsts[region] = next;
    next += sizes[region];
  }
  return firsts;
}

}  // namespace spillway
