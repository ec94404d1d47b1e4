// What passes need of each other, without the events between them, at the times of one lane or at mean times.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/list_schedule.h"
#include "synthesize/pass_graph.h"

namespace spillway {

// A pass that another one needs, and the time of the transfers and losses between the two.
struct PassNeed {
  std::uint32_t pass;
  Seconds delay;
};

// Passes are numbered in a topological order of their needs.
struct PassNeeds {
  std::vector<std::uint32_t> event;  // by pass, in the derived order
  std::vector<RankId> rank;
  std::vector<Seconds> duration;
  std::vector<std::vector<PassNeed>> needs;
  std::vector<Seconds> end;   // behind the pass, without other passes: reductions, transfers to nowhere
  std::vector<Seconds> tail;  // behind the pass at least, whatever the order
  TaskRoom room;              // of memory, by pass; empty: nothing is limited
};

// Takes the mean of each event's durations over all lanes.
PassNeeds pass_needs(const PassGraph& graph, const Durations& durations);

}  // namespace spillway
