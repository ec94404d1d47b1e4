#include "calibrate/timed_works.h"

#include <algorithm>
#include <tuple>

namespace spillway {

std::vector<TimedWork> timed_works(const std::vector<MeasuredGemm>& table) {
  std::vector<TimedWork> works;
  for (const auto& [m, n, k, time] : table) works.push_back({operator_work(GemmShape{m, n, k}), time});
  return works;
}

std::vector<TimedWork> timed_works(const std::vector<MeasuredGroupedGemm>& table) {
  std::vector<TimedWork> works;
  for (const auto& [groups, rows, n, k, time] : table)
    works.push_back({operator_work(GroupedGemmShape{groups, rows, n, k}), time});
  return works;
}

std::vector<TimedWork> timed_works(const std::vector<MeasuredAttention>& table, bool backward) {
  std::vector<TimedWork> works;
  for (const MeasuredAttention& row : table) {
    if (row.backward != backward) continue;
    const AttentionShape shape{row.heads, row.key_value_heads, row.key_width, row.value_width, row.causal};
    works.push_back({operator_work(shape, {row.batch, row.length}, backward), row.time});
  }
  return works;
}

Halves halved(std::vector<TimedWork> works) {
  std::sort(works.begin(), works.end(), [](const TimedWork& a, const TimedWork& b) {
    return std::tie(a.work, a.time) < std::tie(b.work, b.time);
  });
  Halves halves;
  std::size_t distinct = 0;
  for (std::size_t i = 0; i < works.size(); ++i) {
    if (i > 0 && works[i].work != works[i - 1].work) ++distinct;
    (distinct % 2 == 0 ? halves.fitted : halves.held_back).push_back(works[i]);
  }
  return halves;
}

}  // namespace spillway
