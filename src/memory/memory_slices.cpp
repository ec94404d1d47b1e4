#include "memory/memory_slices.h"

namespace spillway {

std::vector<Bytes> most_by_slice(const std::vector<MemoryLevel>& levels, Seconds span, std::size_t slices) {
  std::vector<Bytes> most;
  std::size_t at = 0;
  const auto time_of = [&](std::size_t slice) {
    return span * (static_cast<double>(slice) / static_cast<double>(slices));
  };
  for (std::size_t slice = 0; slice < slices; ++slice) {
    while (at + 1 < levels.size() && levels[at + 1].since <= time_of(slice)) ++at;
    most.push_back(levels[at].total);
    while (at + 1 < levels.size() && levels[at + 1].since < time_of(slice + 1))
      most.back() = std::max(most.back(), levels[++at].total);
  }
  return most;
}

}  // namespace spillway
