// The pairs of runs to compare, and notes on the limits of the comparison. Private to src/compare.
#pragma once

#include <string>
#include <vector>

#include "compare/side.h"

namespace spillway {

inline bool is_trace(const Side& side) {
  return side.kind == SideKind::Trace;
}

struct SidePair {
  const SideRun* a;
  const SideRun* b;
};

// Pairs runs by name, in A's order. If each side has a single run, or one side is a trace, names do not
// matter. Throws InputError if there is no pair.
std::vector<SidePair> pairs_of(const Side& a, const Side& b);

// Returns the names of a side's runs that are in no pair.
std::vector<std::string> unpaired(const Side& side, const std::vector<SidePair>& pairs,
                                  const SideRun* SidePair::*member);

// Returns true if the two sides have the same draws, so that differences can be taken draw by draw.
bool same_draws(const Side& a, const Side& b);

// Returns sentences on the limits of a comparison of the two sides.
std::vector<std::string> notes_on(const Side& a, const Side& b);

}  // namespace spillway
