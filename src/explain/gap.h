// Explains the gap between a predicted and a measured step: which single settings would close it, and which
// two. Each is an evaluation of the changed experiment, as in would_help.h, never an estimate.
//
// A cause that is a word (full recomputation, another framework) is tried as it is. One that is a number
// (the speed of hosts) is solved for the value that gives the measured step, inside the range that has been
// published; if none does, the end of the range is taken, and the rest of the gap stays. Settings are ranked
// by the share of the gap that they close times their plausibility (gap_causes.h).
//
// Example: predicted 25 s, measured 34 s. Full recomputation gives 33.8 s and closes 0.98 of the gap; the job
// does not state recomputation (1): 0.98. Hosts at 0.47 times their speed close all of it, but nobody has
// published 0.47 (0.5): 0.5.
//
// Cost: about 30 evaluations for the words and 6 for each number; up to 200 more for pairs.
// Test: tests/explain/gap_test.cpp; planted causes: tests/explain/planted_causes_test.cpp.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/quantity.h"
#include "evaluate/evaluation.h"
#include "explain/gap_causes.h"
#include "explain/would_help.h"
#include "json/node.h"

namespace spillway {

struct SolvedValue {
  double value;
  double from, to;  // the published range
  bool published;   // within kNearPublished of a published value
};

struct TriedSetting {
  std::string words;
  std::vector<Setting> settings;  // as --set takes them
  double plausibility;
  std::string because;  // in words
  Seconds makespan;     // mean over the draws, by the longest path
  double closes;        // share of the gap; below 0 if it grows
  std::optional<bool> fits = {};
  std::vector<SolvedValue> solved = {};  // of each number in it

  double score() const { return closes * plausibility; }
};

// A share of the measured step: a setting that leaves less closes the gap, and a gap of less is none.
inline constexpr double kClosed = 0.01;
// Scores that differ by less are tied.
inline constexpr double kTied = 0.01;
// The settings of which pairs are tried, from the first.
inline constexpr std::size_t kPaired = 10;

struct GapAccount {
  Seconds predicted, measured;
  std::optional<StepInterval> interval = {};  // of the prediction
  std::vector<TriedSetting> settings = {};    // ranked; settings without an effect are left out
  // Ranked, too; only those that close at least kTied more than each alone. Empty if a setting suffices, or
  // if pairs were not asked for.
  std::vector<TriedSetting> pairs = {};
  bool pairs_tried = false;

  std::optional<bool> inside_interval() const;
  bool is_gap() const;  // measured and predicted differ by more than kClosed
  // Returns true if it closes the gap and nobody stated otherwise.
  bool suffices(const TriedSetting& setting) const;
  bool one_suffices() const;
  std::size_t tied() const;  // settings at the top that cannot be told apart
};

// A predicted step, and how to evaluate it again.
struct PredictedStep {
  const ScheduleResult& schedule;  // from an evaluation of all draws
  std::vector<FittedParameter> fitted;
  ReadAgain read_again;  // the experiment of this schedule alone
  Node document;         // the experiment, with its settings
};

// One setting at a time, or also two of the first ten together.
enum class Together { One, Two };
GapAccount explain_gap(const PredictedStep& step, Seconds measured, Together most = Together::Two);

// One sentence: the answer.
std::string gap_verdict(const GapAccount& account);
// The verdict, and tables of the first settings and pairs.
std::string gap_text(const GapAccount& account);

}  // namespace spillway
