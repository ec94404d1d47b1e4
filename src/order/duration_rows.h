// Durations of a few lanes as rows of numbers, handed out a stretch of events at a time: what takes them goes
// through a large order without all of its durations ever being held. Events that take the same share a row.
#pragma once

#include <cstdint>
#include <vector>

#include "base/cache_lines.h"
#include "order/durations.h"

namespace spillway {

// Lanes in a row: one by itself, or cache lines of eight, filled up with lanes that take no time.
inline constexpr std::uint32_t kLineLanes = kCacheLineBytes / sizeof(double);
inline std::uint32_t row_width(std::uint32_t lanes) {
  return lanes == 1 ? 1 : (lanes + kLineLanes - 1) / kLineLanes * kLineLanes;
}

// Of the events from one on, in seconds.
struct RowStretch {
  std::uint32_t count;         // of its events
  const double* rows;          // each as wide as row_width() says
  const std::uint32_t* takes;  // by event its row; null: one event after the other

  std::size_t row(std::uint32_t event) const { return takes ? takes[event] : event; }
};

class DurationRows {
 public:
  virtual ~DurationRows() = default;

  virtual std::uint32_t events() const = 0;
  virtual std::uint32_t lanes() const = 0;
  // At least one event; valid until the next is asked for. Contract: `first` is an event.
  virtual RowStretch from(std::uint32_t first) = 0;
};

// Lanes `first` to `first` + `count` of durations that are held. Views them.
class HeldRows final : public DurationRows {
 public:
  HeldRows(const Durations& durations, std::uint32_t first, std::uint32_t count);

  std::uint32_t events() const override { return static_cast<std::uint32_t>(durations_.events()); }
  std::uint32_t lanes() const override { return count_; }
  RowStretch from(std::uint32_t first) override;

 private:
  const Durations& durations_;
  std::uint32_t first_;
  std::uint32_t count_;
  AlignedVector<double> copied_;  // none where they lie as rows already
};

}  // namespace spillway
