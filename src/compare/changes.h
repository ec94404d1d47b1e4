// The difference between two experiments, change by change. Private to src/compare.
//
// Effects of changes do not add up: two changes without effect alone may have a large one together. Changes
// are therefore made one after another, in the order of A's document. Each begins where the previous one
// ended, so their effects add up to the whole difference:
//
//   A --/network/p2p_ms--> A1 --/schedules/0/owner--> B     (A1 - A) + (B - A1) = B - A
//
// Costs one evaluation for each change but the last. Tests: tests/compare/differences_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "compare/differences.h"
#include "compare/pairing.h"
#include "compare/side.h"

namespace spillway {

struct ChangeStep {
  std::vector<std::string> pointers;
  std::vector<Seconds> makespans;  // after this step, by pair
};

// Returns the steps from A to B. Texts for readers are no steps. If there are more than 16 steps, changes
// with the same first token ("/platform") are made together. A change that gives no valid experiment by
// itself joins the next one. The last step ends at B's own makespans. Contract: both sides have documents.
std::vector<ChangeStep> steps_between(const Side& a, const Side& b,
                                      const std::vector<Difference>& differences,
                                      const std::vector<SidePair>& pairs);

}  // namespace spillway
