// A priced order as GOAL, the text that LogGOPSim reads (Hoefler, Schneider, Lumsdaine 2010, "LogGOPSim",
// LSAP; https://github.com/spcl/LogGOPSim, src/LogGOPSim/txt2bin.re).
#pragma once

#include <iosfwd>

#include "cost/price.h"
#include "derive/derive.h"

namespace spillway {

// A block for each rank of each replica, numbered replica x ranks + rank; durations in ns, messages in bytes,
// at least 1. What a message takes is LogGOPSim's to say: a file begins with the options under which it takes
// the least that one is priced here, so that where all are priced alike the makespan is the longest path's.
// Where messages occupy their sender, its computing says so. A reduction is an exchange among its members of
// one byte each, up to kPairs of them each with each, else by the first, and what is left of its price as
// computing. Linear in the events. Contract: no computing event is of joined replicas.
void write_goal(std::ostream& out, const Derived& derived, const Prices& prices);

inline constexpr std::size_t kPairs = 32;

}  // namespace spillway
