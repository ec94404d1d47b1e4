// Ranks all points and schedules of a sweep that do the same useful work: by money, and by time.
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

  // Adds a point in grid order; null if it has no outcome yet.
  void add(const std::vector<std::string>& values, const PointOutcome* outcome);

  // Lists the first five by US dollars and by seconds for 1e12 useful tokens. Counts the steps left out: they
  // do not fit, have an unknown peak memory, or have a schedule that is not ranked. Also counts those without
  // a price. Entries with the same number cannot be told apart from the first of them: the 95 % interval of
  // the paired difference (Student's t, same draws) contains 0. Lines have at most `columns` characters.
  // Empty if durations are given.
  std::string text(std::size_t columns) const;

 private:
  struct Entry {
    std::vector<double> by_draw;
    double mean;
    std::string schedule;
    std::vector<std::string> values;
    std::optional<Evidence> evidence;
  };
  using Entries = std::vector<Entry>;  // ascending by mean

  void add_schedule(const std::vector<std::string>& values, const PointOutcome& outcome,
                    const ScheduleOutcome& schedule);
  static void keep(Entries& entries, Entry entry);
  std::string list(const Entries& entries, const char* title, const char* unit, std::size_t columns) const;

  SweepHeading heading_;
  Entries cheapest_, fastest_;
  std::size_t not_fitting_ = 0, without_memory_ = 0, without_price_ = 0;
  std::map<std::string, std::size_t> unranked_;  // number of steps by schedule
};

}  // namespace spillway
