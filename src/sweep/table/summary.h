// A sweep in a few lines of text.
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

  // A point in grid order; null where it has no outcome yet.
  void add(const std::vector<std::string>& values, const PointOutcome* outcome);

  // Points by what became of them, the first line of the first refusal, what was warned of; of each schedule
  // the shortest step, or, where the points' batches differ, the least time for the same work (a useful
  // token, or a microbatch where durations are given), the largest speedup, and in how many points it is
  // faster or slower than the baseline by more than the 95 % interval of the difference. What does not fit is
  // none of these: it is counted, with the least memory that it would take. A schedule that is not ranked is
  // marked, with the reason below. Lines of at most `columns` characters.
  std::string text(std::size_t columns) const;

 private:
  struct Best {
    double figure;
    std::vector<std::string> values;
  };
  // What a step does of the same job: its useful tokens, the mean over draws, or its microbatches.
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
  // Of those that fit, where that is known.
  struct Schedule {
    std::string name;
    std::size_t fitting = 0;
    std::optional<Fastest> shortest;   // for its work
    std::optional<Evidence> evidence;  // behind it; nothing where durations are given
    std::optional<Best> fastest;       // by speedup; nothing of the baseline
    std::size_t faster = 0, slower = 0, undecided = 0;
    std::size_t not_fitting = 0, without_baseline = 0;  // the latter fit where the baseline does not
    std::size_t not_judged = 0;                         // there is a limit, and the peak is not known
    std::optional<Best> least_memory;                   // of what does not fit, in bytes
    std::optional<Bytes> limit;                         // there
    std::string unranked;                               // why it is not ranked; empty where it is
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
  double least_work_ = 0, most_work_ = 0;  // of the points evaluated
  std::vector<Schedule> schedules_;        // in the order met
  std::vector<Warned> warned_;             // by code, in the order met
};

}  // namespace spillway
