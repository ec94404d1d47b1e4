// The single checks behind check_action_lists. Private to src/schedule.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/findings.h"
#include "schedule/action_list.h"

namespace spillway {

// One action in its cell; an overlap twice, as its two halves.
struct Occurrence {
  ListedAction action;
  std::uint32_t rank;
  std::uint32_t slot;

  std::string pointer() const { return cell_pointer(rank, slot); }
};

// In the order of the cells.
std::vector<Occurrence> occurrences_of(const ActionLists& lists);

// Wrong actions beyond these are only counted.
inline constexpr std::size_t kMostWrongActions = 500;

// "0F0, 0F1 and 3 more": so many are named before the rest is counted.
inline constexpr std::size_t kMostNamed = 8;
std::string enumerated(const std::vector<std::string>& names, std::size_t more);

// The row of each stage: where most of its computing actions are, the first of equals.
using StageRows = std::map<std::uint32_t, std::uint32_t>;

// A stage in a second row, a row without a stage, a number that no stage has.
StageRows check_stages(const ActionLists& lists, const std::vector<Occurrence>& all, Findings& findings);

// Per stage and microbatch: each action once, in an order that a rank can do, and none missing.
void check_work(const std::vector<Occurrence>& all, const StageRows& rows, std::uint32_t microbatches,
                Findings& findings);

// Every transfer with its other end, on the ranks of two neighbouring stages.
void check_transfers(const std::vector<Occurrence>& all, const StageRows& rows, Findings& findings);

}  // namespace spillway
