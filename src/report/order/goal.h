// A priced order as GOAL, the text that LogGOPSim reads (Hoefler, Schneider, Lumsdaine 2010, "LogGOPSim",
// LSAP; https://github.com/spcl/LogGOPSim, src/LogGOPSim/txt2bin.re).
#pragma once

#include <iosfwd>

#include "cost/price.h"
#include "derive/derive.h"

namespace spillway {

// Writes a block for each rank of each replica, numbered replica x ranks + rank. Durations are in ns,
// messages in bytes, at least 1. LogGOPSim itself determines the time of a message. The file begins with the
// LogGOPSim options under which each message takes the least price of any message here. So the makespan is
// that of the longest path if all messages have the same price. If messages occupy their sender, a
// computation of that length follows the send. A reduction exchanges one byte among its members, pairwise
// among at most kPairs members, else through the first member. The rest of its price is a computation. Takes
// time linear in the events. Contract: no computing event belongs to joined replicas.
void write_goal(std::ostream& out, const Derived& derived, const Prices& prices);

inline constexpr std::size_t kPairs = 32;

}  // namespace spillway
