// The figures of a step under one draw, for any engine. The report prints them; a sweep keeps columns of
// them. kStepFigures lists those that every step has, with their words: whoever prints or keeps them reads
// it. Only this file computes them: it adds up ranks to lanes (data-parallel replicas), and lanes to the
// step. LaneEvaluator (lane_evaluator.h), streamed_step() and rank_figures() differ only in how they obtain a
// rank's share. Tests: tests/timing/step_figures_test.cpp, against the definitions.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/quantity.h"

namespace spillway {

// Figures of the transposed region that feeds a pipelined one (derive/feeding.h).
struct StepSpill {
  Seconds max_spill;             // of the worst rank: max(0, E_r - w_r)
  Seconds exposed_encoder;       // longest path - longest path with the transposed work free
  double encoder_to_bubble = 0;  // sum of E_r / sum of w_r; infinite without slack

  friend bool operator==(const StepSpill&, const StepSpill&) = default;
};

struct StepFigures {
  Seconds makespan;
  double bubble_fraction = 0;  // 1 - computing time of all ranks / (ranks x makespan), weighted by devices
  // The bubble rate of Qi et al., Zero Bubble Pipeline Parallelism (ICLR 2024): the idle share of the longest
  // span of a rank, from its first to its last computing event. Time before and after this span does not
  // count.
  double bubble_rate = 0;
  std::optional<StepSpill> spill = {};  // none where no transposed region feeds a pipelined one
  Seconds exposed_planning = {};  // part of the makespan: the wait for the step's plan (planning_wait.h)

  friend bool operator==(const StepFigures&, const StepFigures&) = default;
};

// The words of a figure in the table of `run`, and in its legend.
struct TableWords {
  const char* heading;
  const char* legend;
};

// The words of a figure as a column of sweeps.
struct ColumnWords {
  const char* name;  // the key and "_mean"
  const char* meaning;
  const char* label;  // on a picture
};

// A figure that every step has.
struct StepFigure {
  const char* key;                         // of a schedule in spillway/report/2, and in comparisons
  const char* unit;                        // "s", or "" for a share
  double (*of)(const StepFigures&);        // in that unit
  std::optional<TableWords> table = {};    // none: the table leaves it out
  std::optional<ColumnWords> column = {};  // none: sweeps do not keep it
};

// In the report's order.
inline constexpr auto kStepFigures = std::to_array<StepFigure>(
    {{"bubble_fraction", "", [](const StepFigures& step) { return step.bubble_fraction; },
      TableWords{"bubble", "share of the ranks' time without computing"},
      ColumnWords{"bubble_fraction_mean",
                  "1 - computing time of all ranks / (ranks x makespan), by the longest path, mean over the "
                  "draws",
                  "bubble fraction"}},
     {"bubble_rate", "", [](const StepFigures& step) { return step.bubble_rate; }}});

// Those that sweeps keep.
inline constexpr auto kKeptFigures = [] {
  constexpr auto is_kept = [](const StepFigure& figure) { return figure.column.has_value(); };
  constexpr auto count = std::count_if(kStepFigures.begin(), kStepFigures.end(), is_kept);
  std::array<StepFigure, static_cast<std::size_t>(count)> kept{};
  std::copy_if(kStepFigures.begin(), kStepFigures.end(), kept.begin(), is_kept);
  return kept;
}();

// The share of one rank on one lane.
struct RankShare {
  Seconds busy;           // computing events
  Seconds first_start;    // of a computing event
  Seconds last_end;       // of a computing event
  Seconds encoder;        // E_r
  Seconds warm_up_slack;  // w_r
};

// The ends of a lane's longest path.
struct PathEnds {
  Seconds counted;
  Seconds free;  // with the transposed work free
};

struct LaneSpill {
  PathEnds path;
  Seconds max_spill = {};
  Seconds encoder = {};  // E_r of all ranks
  Seconds slack = {};    // w_r of all ranks
};

// One lane's part of the step: a data-parallel replica under one draw.
struct LaneFigures {
  Seconds end;                     // of its last event
  std::optional<LaneSpill> spill;  // none where no transposed region feeds a pipelined one
  std::vector<Seconds> busy = {};  // by rank
  Seconds longest_span = {};       // of a rank, from its first to its last computing event
  Seconds busy_in_longest = {};    // what the first rank of that span computes
};

// Adds the next rank to the lane.
void add(const RankShare& rank, LaneFigures& lane);

// The figures of a draw from its replicas. Each replica stands for `equal_replicas` equal ones. `devices` has
// the number of devices of each rank, as weights; empty if all are equal. Contract: at least one lane.
StepFigures step_figures(std::span<const LaneFigures> replicas, std::uint32_t equal_replicas,
                         std::span<const double> devices = {});

}  // namespace spillway
