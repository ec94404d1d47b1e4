// The schedule as a grid of characters. Each rank is a row, and time runs from left to right.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/id.h"
#include "evaluate/evaluation.h"

namespace spillway {

struct TextStyle {
  std::size_t columns = 100;
  bool colour = false;   // ANSI colours, for a terminal
  bool verbose = false;  // adds throughput, critical paths, pictures and ranks
  bool legend = false;   // adds the meaning of letters and columns
};

// Returns the ranks that a picture or a table shows: all of them, or else `most` ranks, spread evenly from
// the first to the last.
inline constexpr std::uint32_t kShownRanks = 32;
std::vector<RankId> shown_ranks(std::uint32_t rank_count, std::uint32_t most = kShownRanks);

// Returns the picture of one replica's first draw. `span` is the time of the whole width, so that pictures of
// one report share a scale. A row ends where the step ends. Each character is an equal slice of time:
//   e, b  encoder forward, backward      F, B  forward, backward
//   -     a transfer or reduction, nothing computing      .  idle
// A slice may hold many short events. It shows the activity in it that has the most time not yet shown,
// counted over this slice and those before it. A row thus shows each letter in about the same proportion as
// its activity.
std::string picture(const ScheduleResult& schedule, ReplicaId replica, Seconds span, const TextStyle& style);

std::string picture_legend(std::size_t columns);

}  // namespace spillway
