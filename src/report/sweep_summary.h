// A sweep in a few lines of text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/sweep_table.h"

namespace spillway {

class SweepSummary {
 public:
  explicit SweepSummary(SweepHeading heading) : heading_(std::move(heading)) {}

  // A point in grid order; null where it has no outcome yet.
  void add(const std::vector<std::string>& values, const PointOutcome* outcome);

  // Points by what became of them, the first line of the first refusal; of each schedule the shortest step,
  // the largest speedup, and in how many points it is faster or slower than the baseline by more than the 95
  // % interval of the difference. Lines of at most `columns` characters.
  std::string text(std::size_t columns) const;

 private:
  struct Best {
    double figure;
    std::vector<std::string> values;
  };
  struct Schedule {
    std::string name;
    std::optional<Best> shortest;
    std::optional<Best> fastest;  // by speedup; nothing of the baseline
    std::size_t faster = 0, slower = 0, undecided = 0;
  };

  Schedule& schedule(const std::string& name);
  void add_row(const SweepRow& row);
  std::string place(const std::vector<std::string>& values) const;
  std::string line(const Schedule& schedule) const;

  SweepHeading heading_;
  std::size_t evaluated_ = 0, refused_ = 0, unfinished_ = 0;
  std::string first_refusal_;
  std::vector<Schedule> schedules_;  // in the order met
};

}  // namespace spillway
