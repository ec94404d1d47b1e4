// Summarizes a sweep in a few lines of text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sweep/table/table.h"

namespace spillway {

class SweepSummary {
 public:
  explicit SweepSummary(SweepHeading heading) : heading_(std::move(heading)) {}

  // Adds a point in grid order; null if it has no outcome yet.
  void add(const std::vector<std::string>& values, const PointOutcome* outcome);

  // Prints the numbers of evaluated, refused and unfinished points, the first line of the first refusal, and
  // the warnings. For each schedule it prints:
  // - the shortest step, or, if the points' batches differ, the least time for the same work: a useful token,
  //   or a microbatch if durations are given;
  // - the largest speedup, and the number of points in which it is faster or slower than the baseline by more
  //   than the 95 % interval of the difference.
  // Steps that do not fit only count as such, with the least memory that one would need. A schedule that is
  // not ranked is marked, with the reason below. Lines have at most `columns` characters.
  std::string text(std::size_t columns) const;

 private:
  struct Best {
    double figure;
    std::vector<std::string> values;
  };
  // The work of a step: its useful tokens (mean over draws), or its microbatches.
  struct Work {
    double amount;
    bool is_tokens;
  };
  struct Fastest {
    Seconds step;
    Work work;
    std::vector<std::string> values;

    double per_work() const { return step.value() / work.amount; }
  };
  // Figures of the steps that fit, as far as that is known.
  struct Schedule {
    std::string name;
    std::size_t fitting = 0;
    std::optional<Fastest> shortest;   // by time for the same work
    std::optional<Evidence> evidence;  // behind `shortest`; nothing if durations are given
    std::optional<Best> fastest;       // by speedup; nothing for the baseline
    std::size_t faster = 0, slower = 0, undecided = 0;
    std::size_t not_fitting = 0, without_baseline = 0;  // without_baseline: fits, but the baseline does not
    std::size_t not_judged = 0;                         // the peak memory is unknown, and there is a limit
    std::optional<Best> least_memory;                   // in bytes, of the steps that do not fit
    std::optional<Bytes> limit;                         // the memory limit of `least_memory`
    std::string unranked;                               // why it is not ranked; empty if it is
  };
  struct Warned {
    Warning first;
    std::vector<std::string> values;
    std::size_t points = 0;
  };

  Schedule& schedule(const std::string& name);
  static Work work_of(const PointOutcome& outcome);
  void add_row(const SweepRow& row, const Work& work, bool baseline_fits);
  void add_misfit(const SweepRow& row, std::optional<Bytes> limit);
  void add_warnings(const std::vector<std::string>& values, const std::vector<Warning>& warnings);
  std::string place(const std::vector<std::string>& values) const;
  std::string comparison(const Schedule& schedule) const;
  std::string misfits(const Schedule& schedule) const;
  std::string shortest(const Fastest& fastest) const;
  std::string line(const Schedule& schedule) const;

  SweepHeading heading_;
  std::size_t evaluated_ = 0, refused_ = 0, unfinished_ = 0;
  std::string first_refusal_;
  double least_work_ = 0, most_work_ = 0;  // of the evaluated points
  std::vector<Schedule> schedules_;        // in the order of their first row
  std::vector<Warned> warned_;             // by code, in the order of their first point
};

}  // namespace spillway
