// Pricing many draws of one order: lane = draw x replicas + replica.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cost/price.h"

namespace spillway {

// The events of an order by what their price can depend on besides microbatch, replica and draw: kind, stages
// and ranks. Made once for an order.
class PriceClasses {
 public:
  explicit PriceClasses(const Derived& derived);

  std::size_t count() const { return classes_.size(); }
  std::uint32_t of(EventId event) const { return class_of_[event.index()]; }
  std::span<const EventId> events(std::uint32_t price_class) const { return classes_[price_class].events; }
  EventId representative(std::uint32_t price_class) const { return events(price_class).front(); }
  // Is it transposed work, which a step with that free does without (derive/feeding.h)?
  bool is_transposed(std::uint32_t price_class) const { return classes_[price_class].transposed; }

 private:
  struct Class {
    std::vector<EventId> events;  // ascending
    bool transposed;
  };

  std::vector<std::uint32_t> class_of_;  // by event
  std::vector<Class> classes_;
};

// All of it, or with the transposed work free (derive/feeding.h).
enum class TransposedWork { Counted, Free };

// The durations that price() gives each draw, lane by lane, to the last bit. Classes that are uniform in
// every draw, and alike in all, are priced once.
class LanePrices {
 public:
  // Views all three. Contract: at least one draw; the pricings are of `derived`.
  LanePrices(const Derived& derived, const PriceClasses& classes, std::vector<const Pricing*> draws);

  std::uint32_t lanes() const;

  // Lanes `first` and on, as many as `out` has, for every event. Contract: no group is cut whose
  // joined event is not uniform.
  void price(TransposedWork work, std::uint32_t first, Durations& out) const;

  // price() where `out` holds what it gave other lanes: only what lanes differ in is priced.
  void reprice(TransposedWork work, std::uint32_t first, Durations& out) const;

  // Does every lane take the same with the transposed work free? One stands for all then.
  bool free_is_uniform() const;

 private:
  // What one lane of a class takes for all of them, where it does.
  std::optional<Seconds> one_for_all(const Event& event) const;
  // What classes take on lanes that are not all alike, zero there: those are priced after.
  void fill(TransposedWork work, Durations& out) const;
  void check(std::uint32_t first, const Durations& out) const;
  void price_each(EventId id, std::uint32_t first, Durations& out) const;

  const Derived& derived_;
  const PriceClasses& classes_;
  std::vector<const Pricing*> draws_;
  std::vector<std::optional<Seconds>> one_for_all_;  // by class
  std::vector<EventId> varying_;                     // events of the others, transposed ones last
  std::size_t varying_free_ = 0;                     // how many of them are not
};

}  // namespace spillway
