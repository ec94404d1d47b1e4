// The periodic middle of an order: the stretch of microbatches in which everything repeats.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "maxplus/cycle_ratio.h"
#include "maxplus/precedence.h"
#include "order/durations.h"
#include "order/order.h"

namespace spillway {

// Events that differ by their microbatch alone are one class, and moving by k microbatches maps each to
// another of its class. Reduces and the barrier belong to no class.
class Translation {
 public:
  explicit Translation(const Order& order);

  std::uint32_t microbatches() const { return microbatches_; }
  bool has_microbatch(EventId id) const { return class_[id.index()] != kNone; }
  std::uint32_t microbatch(EventId id) const { return microbatch_[id.index()]; }
  // The events of a microbatch.
  const std::vector<EventId>& events_at(std::uint32_t microbatch) const { return at_[microbatch]; }
  // The event of `id`'s class `by` microbatches later; none where the order has no such event.
  std::optional<EventId> moved(EventId id, std::int64_t by) const;

 private:
  static constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);

  std::uint32_t microbatches_ = 0;
  std::vector<std::uint32_t> class_;       // by event
  std::vector<std::uint32_t> microbatch_;  // by event
  std::vector<std::vector<EventId>> at_;   // by microbatch
  std::vector<std::uint32_t> event_;       // [class * microbatches + microbatch]
};

// Everything in microbatch m + period of the middle waits for the same as in microbatch m, that much later,
// and lasts as long.
struct PeriodicMiddle {
  std::uint32_t first;  // the middle is [first, end): the longest stretch around the middle third
  std::uint32_t end;
  std::uint32_t period;  // in microbatches, the least there is in the middle third
};

// None where nothing repeats within a sixth of the microbatches: give a longer step, or there is no period.
std::optional<PeriodicMiddle> periodic_middle(const Translation& translation, const Precedence& precedence,
                                              const Durations& durations);

// One period of the middle wrapped up: node n stands for tasks[n] and all its translates.
struct Quotient {
  std::vector<Port> tasks;
  std::vector<TokenEdge> edges;
};

// None where an edge leaves what repeats: the step is too short for how far its edges reach.
std::optional<Quotient> quotient(const PeriodicMiddle& middle, const Translation& translation,
                                 const Precedence& precedence, const Durations& durations);

}  // namespace spillway
