// The single checks behind check_action_lists. Private to src/schedule.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/findings.h"
#include "schedule/action_list.h"

namespace spillway {

// One action and its cell. An overlap gives two occurrences, one for each half.
struct Occurrence {
  ListedAction action;
  std::uint32_t rank;
  std::uint32_t slot;

  std::string pointer() const { return cell_pointer(rank, slot); }
};

// All occurrences, in the order of the cells.
std::vector<Occurrence> occurrences_of(const ActionLists& lists);

// More wrong actions than this are only counted.
inline constexpr std::size_t kMostWrongActions = 500;

// "0F0, 0F1 and 3 more": more names than this are only counted.
inline constexpr std::size_t kMostNamed = 8;
std::string enumerated(const std::vector<std::string>& names, std::size_t more);

// The row of each stage: the row with most of its computing actions; the first on a tie.
using StageRows = std::map<std::uint32_t, std::uint32_t>;

// Reports a stage in a second row, a row without a stage, and a stage number that is skipped.
StageRows check_stages(const ActionLists& lists, const std::vector<Occurrence>& all, Findings& findings);

// Checks for each stage and microbatch that every action is there once, in an order that a rank can execute.
void check_work(const std::vector<Occurrence>& all, const StageRows& rows, std::uint32_t microbatches,
                Findings& findings);

// Checks that every transfer has its other end, on the ranks of two neighbouring stages.
void check_transfers(const std::vector<Occurrence>& all, const StageRows& rows, Findings& findings);

}  // namespace spillway
