// The events of an order by what their price can depend on besides microbatch, replica and draw.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "derive/derive.h"

namespace spillway {

// Kind, stages and ranks make a class. Made once for an order.
class PriceClasses {
 public:
  explicit PriceClasses(const Derived& derived);

  std::uint32_t count() const { return static_cast<std::uint32_t>(classes_.size()); }
  EventId representative(std::uint32_t price_class) const { return classes_[price_class].first; }
  std::uint32_t events(std::uint32_t price_class) const { return classes_[price_class].events; }
  // Is it transposed work, which a step with that free does without (derive/feeding.h)?
  bool is_transposed(std::uint32_t price_class) const { return classes_[price_class].transposed; }

  // The order falls into stretches of this many events; the last may be shorter.
  std::uint32_t stretch_events() const { return stretch_events_; }
  // Those of one class in one stretch.
  struct Run {
    std::uint32_t price_class;
    std::uint32_t first, count;
  };
  std::span<const Run> runs(std::uint32_t stretch) const;
  // Ascending, and what they run.
  std::span<const EventId> events(const Run& run) const {
    return std::span(events_).subspan(run.first, run.count);
  }
  std::span<const MicrobatchId> microbatches(const Run& run) const {
    return std::span(microbatches_).subspan(run.first, run.count);
  }

 private:
  struct Class {
    EventId first;
    bool transposed;
    std::uint32_t events;
  };

  void classify(const Derived& derived);
  void add_stretch(const Order& order, std::uint32_t first, std::uint32_t end,
                   std::vector<std::uint32_t>& run_of);

  std::vector<std::uint32_t> class_of_;  // by event
  std::vector<Class> classes_;
  std::uint32_t stretch_events_ = 0;
  std::vector<Run> runs_;
  std::vector<std::uint32_t> first_run_;  // by stretch, one more at the end
  std::vector<EventId> events_;           // run by run
  std::vector<MicrobatchId> microbatches_;
};

}  // namespace spillway
