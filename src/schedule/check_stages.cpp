#include <algorithm>
#include <set>

#include "schedule/list_checks.h"

namespace spillway {
namespace {

struct InRow {
  std::size_t actions = 0;
  const Occurrence* first = nullptr;
};
// By stage and row: the actions of the stage in the row.
using StagesInRows = std::map<std::uint32_t, std::map<std::uint32_t, InRow>>;

StagesInRows stages_in_rows(const std::vector<Occurrence>& all) {
  StagesInRows found;
  for (const Occurrence& occurrence : all) {
    if (!occurrence.action.computes()) continue;
    InRow& in_row = found[occurrence.action.stage][occurrence.rank];
    if (in_row.actions++ == 0) in_row.first = &occurrence;
  }
  return found;
}

StageRows rows_of(const StagesInRows& found) {
  StageRows rows;
  for (const auto& [stage, by_row] : found) {
    const auto most = std::max_element(by_row.begin(), by_row.end(), [](const auto& a, const auto& b) {
      return a.second.actions < b.second.actions;
    });
    rows[stage] = most->first;
  }
  return rows;
}

void check_one_row_each(const StagesInRows& found, const StageRows& rows, Findings& findings) {
  for (const auto& [stage, by_row] : found) {
    for (const auto& [row, in_row] : by_row) {
      if (row == rows.at(stage)) continue;
      findings.add(in_row.first->pointer(),
                   "actions of stage " + std::to_string(stage) + " on one rank (most are on rank " +
                       std::to_string(rows.at(stage)) + ')',
                   enumerated({to_string(in_row.first->action)}, in_row.actions - 1) + " on rank " +
                       std::to_string(row));
    }
  }
}

void check_every_row_has_one(const ActionLists& lists, const StageRows& rows, Findings& findings) {
  std::set<std::uint32_t> with_stage;
  for (const auto& [stage, row] : rows) with_stage.insert(row);
  for (std::uint32_t row = 0; row < lists.rows.size(); ++row)
    if (!with_stage.contains(row))
      findings.add('/' + std::to_string(row), "the actions of at least one stage", "none");
}

// Stage numbers must be 0, 1, 2, ... without a gap.
void check_numbers(const StageRows& rows, Findings& findings) {
  if (rows.empty()) return;
  const std::size_t stages = std::size_t{rows.rbegin()->first} + 1;
  if (rows.size() == stages) return;
  std::vector<std::string> absent;
  std::uint32_t next = 0;
  for (const auto& [stage, row] : rows) {
    for (; next < stage && absent.size() < kMostNamed; ++next) absent.push_back(std::to_string(next));
    next = stage + 1;
  }
  const std::size_t more = stages - rows.size() - absent.size();
  findings.add("/", "actions of every stage from 0 to " + std::to_string(stages - 1),
               "none of stage " + enumerated(absent, more));
}

}  // namespace

StageRows check_stages(const ActionLists& lists, const std::vector<Occurrence>& all, Findings& findings) {
  const StagesInRows found = stages_in_rows(all);
  const StageRows rows = rows_of(found);
  check_one_row_each(found, rows, findings);
  check_every_row_has_one(lists, rows, findings);
  check_numbers(rows, findings);
  return rows;
}

}  // namespace spillway
