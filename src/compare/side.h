// One side of a comparison: an experiment, evaluated for the comparison, a report, or a measured trace. Sides
// are compared by the data that both have.
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

// Times count as equal if they differ by less than this share of the step.
inline constexpr double kRoundingShare = 1e-9;

enum class SideKind : std::uint8_t { Experiment, Report, Trace };
std::string_view to_string(SideKind kind);

// A way to break a step's length down into parts that add up to it. A comparison uses the first that both
// sides have.
//   CriticalPath  the critical path of the longest path by kind of event, mean over draws. It leaves no gap
//                 from the first event to the last, so its length is the makespan.
//   Passes        the components of each rank (components.h) from the start of the step's first pass to the
//   end
//                 of its last, mean over ranks, and over the steps of a trace. Its length is that span.
//   Ranks         each rank's computing, communication that occupies it, and waiting, mean over ranks and
//                 draws. Its length is the makespan, or for a trace the span of its passes.
enum class Decomposition : std::uint8_t { CriticalPath, Passes, Ranks };
inline constexpr std::size_t kDecompositions = 3;
std::string_view to_string(Decomposition decomposition);  // "critical path", "passes", "ranks"

struct Part {
  std::string name;
  Seconds time;
};

struct Parts {
  Seconds length;
  std::vector<Part> parts;  // they add up to the length

  Seconds of(std::string_view name) const;  // 0 if there is no such part
};

struct SideFigure {
  std::string key;              // the key of a schedule in spillway/report/2
  double value;                 // over draws, as DrawnFigure::shown
  std::vector<double> by_draw;  // empty for a maximum, and if only the mean is known
};

// The time that a rank spends on one activity, mean over replicas.
struct RankTime {
  RankId rank;
  std::string what;
  Seconds time;
};

// The times of all events: those of an experiment's first draw, or the mean over a trace's steps.
struct SideEvents {
  std::shared_ptr<const Derived> derived;
  Timeline timeline;
};

// One schedule of a side.
struct SideRun {
  std::string name;
  std::vector<SideFigure> figures;  // the makespan first
  std::array<std::optional<Parts>, kDecompositions> parts;
  std::vector<RankTime> ranks;
  std::optional<SideEvents> events;  // nothing for a report
  std::vector<Warning> warnings = {};
  std::string unranked = {};  // the reason if the schedule is not ranked, else empty
};

struct Side {
  std::string file;
  SideKind kind;
  std::uint64_t seed;   // 0 for a trace
  std::uint64_t draws;  // 0 for a trace
  Node stated;          // the configuration as a report states it
  // An experiment's document with platform and framework as values (written_out.h), else nothing.
  std::optional<Node> document;
  std::vector<SideRun> runs;
  std::vector<std::string> notes = {};  // the changes to a trace before it was compared
};

}  // namespace spillway
