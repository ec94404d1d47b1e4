// What is done with durations on their way into a longest path, while they are near. Private to src/timing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "timing/lane_loops.h"

namespace spillway {

// Adds up rows of durations as they pass, in the order of their events.
class SummedRows final : public DurationRows {
 public:
  // `addends` ascend by event. Views all three.
  SummedRows(DurationRows& rows, std::span<const Addend> addends, AlignedVector<double>& sums)
      : rows_(rows), left_(addends), sums_(sums) {}

  std::uint32_t events() const override { return rows_.events(); }
  std::uint32_t lanes() const override { return rows_.lanes(); }
  RowStretch from(std::uint32_t first) override {
    const RowStretch stretch = rows_.from(first);
    const auto before = [](const Addend& addend, std::uint32_t event) { return addend.event < event; };
    const auto passed = std::lower_bound(left_.begin(), left_.end(), first + stretch.count, before);
    const auto count = static_cast<std::size_t>(passed - left_.begin());
    fastest_loops().add(left_.first(count), first, stretch, row_width(lanes()), sums_.data());
    left_ = left_.subspan(count);
    return stretch;
  }

 private:
  DurationRows& rows_;
  std::span<const Addend> left_;
  AlignedVector<double>& sums_;
};

// Keeps the durations of some events as they pass.
class KeptRows final : public DurationRows {
 public:
  // `events` ascend. Views the rows.
  KeptRows(DurationRows& rows, std::vector<EventId> events)
      : rows_(rows), events_(std::move(events)), kept_(events_.size(), rows.lanes()) {}

  std::uint32_t events() const override { return rows_.events(); }
  std::uint32_t lanes() const override { return rows_.lanes(); }
  RowStretch from(std::uint32_t first) override {
    const RowStretch stretch = rows_.from(first);
    const std::size_t width = row_width(lanes());
    for (; next_ < events_.size() && events_[next_].index() < first + stretch.count; ++next_) {
      const double* const row = stretch.rows + stretch.row(events_[next_].index() - first) * width;
      for (std::uint32_t lane = 0; lane < lanes(); ++lane)
        kept_.at(EventId(static_cast<std::uint32_t>(next_)), lane) = Seconds(row[lane]);
    }
    return stretch;
  }

  const Durations& kept() const { return kept_; }

 private:
  DurationRows& rows_;
  std::vector<EventId> events_;
  std::size_t next_ = 0;
  Durations kept_;
};

}  // namespace spillway
