// Which runs of two sides are held against each other, and what that cannot say. Private to src/compare.
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

// By name, in A's order; where each side has one, or one is a trace, whatever their names. Throws InputError
// where there is none.
std::vector<SidePair> pairs_of(const Side& a, const Side& b);

// Names of the runs of a side that no pair has.
std::vector<std::string> unpaired(const Side& side, const std::vector<SidePair>& pairs,
                                  const SideRun* SidePair::*member);

// Are draws the same, so that differences can be taken one by one?
bool same_draws(const Side& a, const Side& b);

// Sentences on what a comparison of the two has to leave out.
std::vector<std::string> notes_on(const Side& a, const Side& b);

}  // namespace spillway
