// The difference between two experiments, change by change. Private to src/compare.
//
// The makespan is no sum over changes: two that are worth nothing alone may be worth much together. Made one
// after another, in the order of A's document, what each one adds does sum up to the whole difference,
// because each begins where the one before it ended:
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
  std::vector<Seconds> makespans;  // after it, by pair
};

// What is for readers is no step. Where there are more than 16 steps,
// changes are made together by their first token ("/platform"). A change that gives no experiment by itself
// joins the next. The last step ends at B's own makespans. Contract: both sides have documents.
std::vector<ChangeStep> steps_between(const Side& a, const Side& b,
                                      const std::vector<Difference>& differences,
                                      const std::vector<SidePair>& pairs);

}  // namespace spillway
