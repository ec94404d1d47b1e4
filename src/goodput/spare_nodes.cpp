// Idea: nodes fail at a constant rate while the run goes, and none fails while it waits. So the number of
// nodes in repair is the number of busy lines of Erlang's loss system with `spares` + 1 lines. The run waits
// while all lines are busy. Only the mean of the repair time matters, not its distribution (Sevastyanov
// 1957).
// Example: one failure during a repair, on average, and no spare: the run works half of the time.
// Cost: linear in the number of spare nodes.
// Test: tests/goodput/spare_nodes_test.cpp runs nodes through repairs one by one.
#include "goodput/spare_nodes.h"

namespace spillway {
namespace {

// The chance that all lines are busy, from that of one line less.
double with_another_line(double busy, double load, double lines) {
  return load * busy / (lines + load * busy);
}

}  // namespace

double share_with_enough_nodes(double in_repair, std::uint32_t spares) {
  double busy = 1;
  for (std::uint32_t lines = 1; lines <= spares + 1; ++lines)
    busy = with_another_line(busy, in_repair, lines);
  return 1 - busy;
}

std::optional<std::uint32_t> spare_nodes_for(double in_repair, double share) {
  double busy = 1;
  for (std::uint32_t spares = 0; spares <= kMostSpareNodes; ++spares) {
    busy = with_another_line(busy, in_repair, spares + 1.0);
    if (1 - busy >= share) return spares;
  }
  return std::nullopt;
}

}  // namespace spillway
