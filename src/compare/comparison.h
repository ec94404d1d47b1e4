// The result of `spillway compare`: the differences of two configurations, the figures that moved, and the
// causes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "compare/differences.h"
#include "compare/divergence.h"
#include "compare/side.h"
#include "json/source.h"

namespace spillway {

// A figure of both sides. `ci95` is half the width of the 95 % confidence interval of the mean difference B -
// A, by Student's t over the differences of the draws. It is absent for one draw, or if draws are not paired.
struct ComparedFigure {
  std::string key;  // the key of a schedule in spillway/report/2
  double a;
  double b;
  std::optional<double> ci95;

  double difference() const { return b - a; }
  // Returns the difference as a share of a. It is 0 if the two differ by rounding only (1e-9 of the larger,
  // or 1e-12), and infinite if only a is 0.
  double relative() const;
};

struct Cause {
  std::string name;
  Seconds difference;
};

// The effect of one change of the configuration on the makespan, after the changes before it.
struct ChangeEffect {
  std::vector<std::string> pointers;  // several if one is invalid without the others, or if there are many
  Seconds difference;
};

struct RankMove {
  RankId rank;
  std::string what;
  Seconds a;
  Seconds b;
};

struct ScheduleComparison {
  std::string name;  // in A
  std::string other_name;
  Decomposition decomposition;
  ComparedFigure makespan;    // the decomposition's length on each side
  std::vector<Cause> causes;  // all parts of the decomposition; they add up to the makespan's difference
  // Changes between two experiments, in document order; they add up to the makespan's difference.
  std::vector<ChangeEffect> changes = {};
  std::vector<ComparedFigure> figures = {};  // figures that both sides have, the makespan first
  std::vector<RankMove> moves = {};          // moves beyond rounding, the largest first
  std::vector<std::string> warned_a = {};    // texts of warnings whose code B does not have
  std::vector<std::string> warned_b = {};
  bool too_large_a = false;  // true if a draw of A needs more memory than its limit
  bool too_large_b = false;
  bool aligned = false;  // true if events were compared
  std::optional<Divergence> first_divergence = {};
};

struct ComparedSide {
  std::string file;
  SideKind kind;
};

struct Comparison {
  ComparedSide a;
  ComparedSide b;
  // For two experiments, the differences of their documents. With a report, of the configuration that reports
  // state. With a trace, of the values that both sides state.
  std::vector<Difference> configuration;
  std::vector<ScheduleComparison> schedules;
  std::vector<std::string> only_a;  // names of schedules
  std::vector<std::string> only_b;
  std::vector<std::string> notes;  // sentences that a reader of the comparison needs
};

// Returns true if no value of the configuration differs, and no figure, rank or event by more than rounding.
bool nothing_moved(const Comparison& comparison);

// Compares two files or documents of any kind. Experiments are evaluated by the longest path, or by the
// engines of the report that they are compared with. Schedules are paired by name; a single schedule on each
// side is paired whatever its name, and a trace with every schedule. Throws InputError if a file cannot be
// read or no schedules form a pair. Throws Infeasible if a fit does not reach its target.
Comparison compare_files(const Source& a, const Source& b);

}  // namespace spillway
