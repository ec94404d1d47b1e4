// What `spillway compare` says of two runs: what differs in their configuration, what moved, and why.
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

// B - A. `ci95`: half the width of the 95 % confidence interval of the mean difference, Student's t over the
// differences draw by draw; nothing of one draw, or where draws are not paired.
struct ComparedFigure {
  std::string key;  // of a schedule in spillway/report/2
  double a;
  double b;
  std::optional<double> ci95;

  double difference() const { return b - a; }
  // Of a: 0 where the two differ by no more than rounding (1e-9 of the larger, or 1e-12), infinite where a
  // alone is nothing.
  double relative() const;
};

struct Cause {
  std::string name;
  Seconds difference;
};

// What one change of the configuration makes of the makespan, those before it made already.
struct ChangeEffect {
  std::vector<std::string> pointers;  // more than one where some are refused without the others, or many
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
  ComparedFigure makespan;    // the decomposition's length, on either side
  std::vector<Cause> causes;  // by the decomposition, all parts; they add up to the makespan's difference
  // In document order, of two experiments; they add up to the makespan's difference.
  std::vector<ChangeEffect> changes = {};
  std::vector<ComparedFigure> figures = {};  // that both sides have, the makespan first
  std::vector<RankMove> moves = {};          // that differ by more than rounding, the largest first
  std::vector<std::string> warned_a = {};    // texts of warnings that B has none of the same code as
  std::vector<std::string> warned_b = {};
  bool aligned = false;  // were events held together?
  std::optional<Divergence> first_divergence = {};
};

struct ComparedSide {
  std::string file;
  SideKind kind;
};

struct Comparison {
  ComparedSide a;
  ComparedSide b;
  // Of two experiments their documents', otherwise as far as reports state it, beside a trace as far as both
  // sides do.
  std::vector<Difference> configuration;
  std::vector<ScheduleComparison> schedules;
  std::vector<std::string> only_a;  // names of schedules
  std::vector<std::string> only_b;
  std::vector<std::string> notes;  // what has to be known to read it
};

// Is no value of the configuration another, and no figure and no event by more than rounding?
bool nothing_moved(const Comparison& comparison);

// Of two files or documents, whatever they hold. Experiments are evaluated by the longest path, beside a
// report by the engines that it has. Throws InputError where one cannot be read, or where no schedule is on
// both sides: schedules are the same by name, a single one on either side is held against the other, a trace
// against each. Throws Infeasible where a fit reaches nothing.
Comparison compare_files(const Source& a, const Source& b);

}  // namespace spillway
