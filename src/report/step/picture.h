// The schedule as a grid of characters: one row per rank, time from left to right.
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
  bool verbose = false;  // throughput, critical paths, pictures and ranks, too
  bool legend = false;   // what letters and columns mean
};

// The ranks that a picture or a table shows: all of them, or `most` spread evenly, first and last among them.
inline constexpr std::uint32_t kShownRanks = 32;
std::vector<RankId> shown_ranks(std::uint32_t rank_count, std::uint32_t most = kShownRanks);

// The first draw of one replica. `span` is the time of the whole width, so that pictures of one report share
// a scale; a row ends where the step ends. Each character stands for an equal slice of time:
//   e, b  encoder forward, backward      F, B  forward, backward
//   -     a transfer or reduction, nothing computing      .  idle
// A slice may hold many short events. Of those in it, it shows the activity whose time the row owes most,
// this slice and those before it counted, so that a row has about as much of each letter as of each activity.
std::string picture(const ScheduleResult& schedule, ReplicaId replica, Seconds span, const TextStyle& style);

std::string picture_legend(std::size_t columns);

}  // namespace spillway
