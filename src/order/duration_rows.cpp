#include "order/duration_rows.h"

#include <algorithm>

#include "base/error.h"

namespace spillway {
namespace {

// The number of events that are copied at a time, so that they are still in the cache when they are read.
constexpr std::uint32_t kCopied = 256;

static_assert(sizeof(Seconds) == sizeof(double), "Seconds are read as numbers");

}  // namespace

HeldRows::HeldRows(const Durations& durations, std::uint32_t first, std::uint32_t count)
    : durations_(durations), first_(first), count_(count) {
  ensure(first + count <= durations.lanes(), "rows are of lanes that there are");
  const bool as_they_lie = count == durations.lanes() && count == row_width(count);
  if (!as_they_lie) copied_.resize(std::size_t{kCopied} * row_width(count));
}

RowStretch HeldRows::from(std::uint32_t first) {
  const std::size_t lanes = durations_.lanes();
  const auto* const at = reinterpret_cast<const double*>(durations_.flat().data()) + first * lanes + first_;
  if (copied_.empty()) return {events() - first, at, nullptr};
  const std::uint32_t count = std::min(kCopied, events() - first);
  for (std::uint32_t i = 0; i < count; ++i)
    std::copy_n(at + i * lanes, count_, copied_.data() + std::size_t{i} * row_width(count_));
  return {count, copied_.data(), nullptr};
}

}  // namespace spillway
