// The longest path as a loop over bare arrays, one lane: what the machine gives without a program around it.
#pragma once

#include <cstdint>
#include <vector>

namespace spillway::bench {

class BareLongestPath {
 public:
  // 1F1B with transfers as events, numbered as a breadth-first topological search meets them.
  BareLongestPath(std::uint32_t ranks, std::uint32_t microbatches);

  std::size_t events() const { return duration_.size(); }
  double makespan();

 private:
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> predecessor_;
  std::vector<double> duration_;
  std::vector<double> end_;
};

}  // namespace spillway::bench
