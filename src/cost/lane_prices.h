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
  // Is a layer of an encoder in it? Elsewhere nothing changes with the encoder free.
  bool encodes(std::uint32_t price_class) const { return classes_[price_class].encodes; }

 private:
  struct Class {
    std::vector<EventId> events;  // ascending
    bool encodes;
  };

  std::vector<std::uint32_t> class_of_;  // by event
  std::vector<Class> classes_;
};

// The durations that price() and encoder_forwards() give each draw, lane by lane, to the last bit. Classes
// that are uniform in every draw, and alike in all, are priced once.
class LanePrices {
 public:
  // Views all three. Contract: at least one draw; the models are of `derived`.
  LanePrices(const Derived& derived, const PriceClasses& classes, std::vector<const CostModel*> draws);

  std::uint32_t lanes() const;

  // Lanes `first` and on, as many as `out` has, for every event. Contract: no group is cut whose
  // joined event is not uniform.
  void price(EncoderWork work, std::uint32_t first, Durations& out) const;
  void encoder_forwards(std::uint32_t first, Durations& out) const;

  // The same where `out` holds what they gave other lanes: only what lanes differ in is priced. `counted` are
  // the prices of the same lanes with the encoder counted.
  void reprice(EncoderWork work, std::uint32_t first, Durations& out) const;
  void reprice_encoder_forwards(std::uint32_t first, const Durations& counted, Durations& out) const;

  // Does every lane take the same with the encoder free? One stands for all then.
  bool free_is_uniform() const;

 private:
  // What one lane of a class takes for all of them, where it does.
  struct OneForAll {
    std::optional<Seconds> counted;
    std::optional<Seconds> free;
    std::optional<Seconds> encoder_forward;
  };

  // Events that no lane prices for all.
  struct Varying {
    std::vector<EventId> counted;
    std::vector<EventId> free;
    std::vector<EventId> encoder_forward;
  };

  OneForAll one_for_all(std::uint32_t price_class) const;
  std::optional<Seconds> one_for_all(const Event& event, EncoderWork work) const;
  std::optional<Seconds> one_encoder_forward(const Event& event) const;
  Varying varying() const;
  void check(std::uint32_t first, const Durations& out) const;
  void fill(std::optional<Seconds> OneForAll::*one, Durations& out) const;
  void fill_encoder_forwards(Durations& out) const;
  void price_each(const Event& event, EncoderWork work, std::uint32_t first, EventId at,
                  Durations& out) const;
  void encoder_forward(EventId id, std::uint32_t first, Durations& both, Durations& out) const;
  void encoder_of_overlapped(const Event& event, EventId id, std::uint32_t first, Durations& both,
                             Durations& out) const;

  const Derived& derived_;
  const PriceClasses& classes_;
  std::vector<const CostModel*> draws_;
  std::vector<OneForAll> by_class_;
  Varying varying_;
};

}  // namespace spillway
