#include "report/step/critical_path_table.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "words/table.h"

namespace spillway {
namespace {

using ShareColumn = std::pair<const char*, Seconds CriticalPathShares::*>;
constexpr std::array<ShareColumn, 8> kShares = {{{"transposed F", &CriticalPathShares::transposed_forward},
                                                 {"transposed B", &CriticalPathShares::transposed_backward},
                                                 {"pipelined F", &CriticalPathShares::forward},
                                                 {"pipelined B", &CriticalPathShares::backward},
                                                 {"F and B", &CriticalPathShares::overlapped},
                                                 {"transfers", &CriticalPathShares::transfers},
                                                 {"reductions", &CriticalPathShares::reductions},
                                                 {"planning", &CriticalPathShares::planning}}};

// A step waits for its plan only if the experiment states a planning time, so other tables omit that column.
std::vector<ShareColumn> shares_of(const Evaluation& evaluation) {
  std::vector<ShareColumn> shares(kShares.begin(), kShares.end());
  const bool waits =
      std::any_of(evaluation.schedules.begin(), evaluation.schedules.end(),
                  [](const ScheduleResult& schedule) { return schedule.planning > Seconds(); });
  if (!waits) shares.pop_back();
  return shares;
}

}  // namespace

std::string critical_path_table(const Evaluation& evaluation, TimeUnit unit) {
  const Seconds scale = evaluation.schedules[evaluation.baseline].draws.front().critical_path.total();
  std::vector<std::vector<std::string>> rows = {{"critical path", "total"}};
  const std::vector<ShareColumn> shown = shares_of(evaluation);
  for (const auto& [name, member] : shown) rows.front().emplace_back(name);
  for (const char* name : {"collectives", "recomputed"}) rows.front().emplace_back(name);
  for (const ScheduleResult& schedule : evaluation.schedules) {
    const CriticalPathShares& shares = schedule.draws.front().critical_path;
    auto& row = rows.emplace_back();
    row = {schedule.name, number_text(shares.total(), unit, scale)};
    for (const auto& [name, member] : shown) row.push_back(number_text(shares.*member, unit, scale));
    for (const Seconds inside : {shares.inside.collectives, shares.inside.recomputed})
      row.push_back(number_text(inside, unit, scale));
  }
  return table_text(rows);
}

}  // namespace spillway
