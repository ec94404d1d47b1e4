// One side of a comparison, whatever it was read from: an experiment evaluated on the spot, a report, or a
// measured trace. Sides are held against each other by what both know.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/quantity.h"
#include "base/warning.h"
#include "derive/derive.h"
#include "json/node.h"
#include "timing/timeline.h"

namespace spillway {

// Times that differ by less than this share of the step are the same.
inline constexpr double kRoundingShare = 1e-9;

enum class SideKind : std::uint8_t { Experiment, Report, Trace };
std::string_view to_string(SideKind kind);

// What a step's length is broken down by: parts that add up to it. Of two sides the first that both have.
//   CriticalPath  the critical path of the longest path by kind of event, mean over draws. It leaves no gap
//                 from the first event to the last, so its length is the makespan.
//   Passes        of each rank, from the first pass of the step to the end of the last (components.h), mean
//                 over ranks, and over the steps of a trace. Its length is that span.
//   Ranks         of each rank computing, communication that occupies it, and waiting, mean over ranks and
//                 draws. Its length is the makespan, of a trace the span of its passes.
enum class Decomposition : std::uint8_t { CriticalPath, Passes, Ranks };
inline constexpr std::size_t kDecompositions = 3;
std::string_view to_string(Decomposition decomposition);  // "critical path", "passes", "ranks"

struct Part {
  std::string name;
  Seconds time;
};

struct Parts {
  Seconds length;
  std::vector<Part> parts;  // add up to the length

  Seconds of(std::string_view name) const;  // 0 where there is no such part
};

struct SideFigure {
  std::string key;              // of a schedule in spillway/report/2
  double value;                 // over draws, as DrawnFigure::shown
  std::vector<double> by_draw;  // of a mean; empty where that alone is known, and of a largest value
};

// What a rank spends on one thing, mean over replicas.
struct RankTime {
  RankId rank;
  std::string what;
  Seconds time;
};

// When everything runs: of an experiment its first draw, of a trace the mean over its steps.
struct SideEvents {
  std::shared_ptr<const Derived> derived;
  Timeline timeline;
};

// One schedule.
struct SideRun {
  std::string name;
  std::vector<SideFigure> figures;  // the makespan first
  std::array<std::optional<Parts>, kDecompositions> parts;
  std::vector<RankTime> ranks;
  std::optional<SideEvents> events;  // none of a report
  std::vector<Warning> warnings = {};
  std::string unranked = {};  // why it is not ranked; empty where it is
};

struct Side {
  std::string file;
  SideKind kind;
  std::uint64_t seed;   // 0 of a trace
  std::uint64_t draws;  // 0 of a trace
  Node stated;          // the configuration as a report states it
  // Of an experiment: its document, the files that it names written out (written_out.h).
  std::optional<Node> document;
  std::vector<SideRun> runs;
  std::vector<std::string> notes = {};  // of a trace: what was done to it before it was compared
};

}  // namespace spillway
