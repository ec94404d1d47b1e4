// The longest path as a loop over bare arrays, one lane or eight at a time: the speed of the machine without
// a program around it.
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

  // Takes eight draws, in which everything takes one to eight times as long as in makespan().
  static constexpr std::uint32_t kLanes = 8;
  double longest_of_lanes();

 private:
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> predecessor_;
  std::vector<double> duration_;
  std::vector<double> end_;
  std::vector<double> lane_duration_;  // [event][lane]
  std::vector<double> lane_end_;
};

}  // namespace spillway::bench
