// The decision in words: what to train on, how long it takes, what it costs, how sure that is, and why not
// the next best. Test: tests/search/plan_decision_test.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "search/answer/plan_figures.h"

namespace spillway {

// Another layout against plan 1, by the objective: 0.02 is 2 % dearer or slower.
struct PlanDifference {
  double share;
  // 90 % interval. On one cluster both layouts are drawn on the same machines, so that what they share does
  // not widen it. Two clusters are drawn apart. Nothing if durations are given.
  std::optional<StepInterval> interval;
  bool tied;     // they cannot be told apart
  double apart;  // the share by which they must differ for that: the published scatter of predictions
};

PlanDifference difference_of(const PlanReport& report, const ShownPlan& plan);
PlanDifference difference_of(const PlanReport& report, const RivalPlan& optimum);

// The optimum on the devices of plan 1, unless plan 1 is it.
const RivalPlan* better_than_first(const PlanReport& report);
// The index of a shown plan.
std::optional<std::size_t> shown_place(const PlanReport& report, const RivalPlan& rival);
// The best shown plan that can be launched; nothing if plan 1 can be, or none.
std::optional<std::size_t> to_launch_instead(const PlanReport& report);
// Plans that SimGrid's replay puts on the other side of plan 1 than the longest path does.
std::vector<std::size_t> reversed_by_replay(const PlanReport& report);

// In what `other` differs: "TP=2 instead of 1, zb-v instead of 1f1b", or on other devices all of it.
std::string differing_text(const PlanJob& job, const PlanLayout& plan, const PlanLayout& other);

// What to train on, and how.
std::string verdict(const PlanReport& report);

struct DecisionLine {
  std::string about;  // "how long"
  std::string text;
};
std::vector<DecisionLine> decision_lines(const PlanReport& report);

}  // namespace spillway
