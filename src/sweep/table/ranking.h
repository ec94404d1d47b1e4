// What a sweep is bought for: of all its points and schedules, those that do the same useful work for the
// least money, and in the least time.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "sweep/table/table.h"

namespace spillway {

class SweepRanking {
 public:
  explicit SweepRanking(SweepHeading heading) : heading_(std::move(heading)) {}

  // A point in grid order; null where it has no outcome yet.
  void add(const std::vector<std::string>& values, const PointOutcome* outcome);

  // The first five by US dollars and by device-independent seconds for 1e12 useful tokens, where points have
  // such, and how many were left out because they do not fit, are not known to, or have no price, or because
  // their schedule is not ranked. Those of one number cannot be told apart from the first of them: the 95 %
  // interval of the paired difference (Student's t, the same draws) contains 0. Lines of at most `columns`
  // characters; nothing where durations are given.
  std::string text(std::size_t columns) const;

 private:
  struct Entry {
    std::vector<double> by_draw;
    double mean;
    std::string schedule;
    std::vector<std::string> values;
    std::optional<Evidence> evidence;
  };
  using Entries = std::vector<Entry>;  // the lowest first

  void add_schedule(const std::vector<std::string>& values, const PointOutcome& outcome,
                    const ScheduleOutcome& schedule);
  static void keep(Entries& entries, Entry entry);
  std::string list(const Entries& entries, const char* title, const char* unit, std::size_t columns) const;

  SweepHeading heading_;
  Entries cheapest_, fastest_;
  std::size_t not_fitting_ = 0, without_memory_ = 0, without_price_ = 0;
  std::map<std::string, std::size_t> unranked_;  // steps, by schedule
};

}  // namespace spillway
