// Durations of a few lanes as rows of numbers, produced for a stretch of events at a time. A caller can pass
// through a large order without holding all durations. Events with equal durations share a row.
#pragma once

#include <cstdint>
#include <vector>

#include "base/cache_lines.h"
#include "order/durations.h"

namespace spillway {

// The width of a row in lanes: one lane alone, or whole cache lines of eight lanes, padded with lanes of zero
// duration.
inline constexpr std::uint32_t kLineLanes = kCacheLineBytes / sizeof(double);
inline std::uint32_t row_width(std::uint32_t lanes) {
  return lanes == 1 ? 1 : (lanes + kLineLanes - 1) / kLineLanes * kLineLanes;
}

// Durations of consecutive events, in seconds.
struct RowStretch {
  std::uint32_t count;         // of its events
  const double* rows;          // each as wide as row_width() says
  const std::uint32_t* takes;  // by event: its row; null: row i is event i's

  std::size_t row(std::uint32_t event) const { return takes ? takes[event] : event; }
};

class DurationRows {
 public:
  virtual ~DurationRows() = default;

  virtual std::uint32_t events() const = 0;
  virtual std::uint32_t lanes() const = 0;
  // Returns a stretch of at least one event, valid until the next call. Contract: `first` is an event.
  virtual RowStretch from(std::uint32_t first) = 0;
};

// Lanes [first, first + count) of durations in memory. Views them.
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
  AlignedVector<double> copied_;  // empty if the durations are stored as such rows
};

}  // namespace spillway
