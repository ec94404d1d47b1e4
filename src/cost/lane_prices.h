// Prices of many draws of one order: lane = draw x replicas + replica.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cost/price.h"
#include "derive/derive.h"
#include "order/duration_rows.h"

namespace spillway {

// The events of an order, in classes by everything that their price can depend on besides microbatch, replica
// and draw: kind, stages and ranks. Made once for an order.
class PriceClasses {
 public:
  explicit PriceClasses(const Derived& derived);

  std::uint32_t count() const { return static_cast<std::uint32_t>(classes_.size()); }
  EventId representative(std::uint32_t price_class) const { return classes_[price_class].first; }
  std::uint32_t events(std::uint32_t price_class) const { return classes_[price_class].events; }
  // Returns true for transposed work, which a step with that work free does without (derive/feeding.h).
  bool is_transposed(std::uint32_t price_class) const { return classes_[price_class].transposed; }

  // The order is divided into stretches of this many events; the last may be shorter.
  std::uint32_t stretch_events() const { return stretch_events_; }
  // The events of one class in one stretch.
  struct Run {
    std::uint32_t price_class;
    std::uint32_t first, count;
  };
  std::span<const Run> runs(std::uint32_t stretch) const;
  // The events in ascending order, and their microbatches.
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

// Whether transposed work takes its time or none (derive/feeding.h).
enum class TransposedWork { Counted, Free };

// The times of an order's events in each draw. An event that is uniform in every draw is priced once per
// draw; passes over stages that are alike are priced once per microbatch.
class LanePrices {
 public:
  // Views all three. Contract: at least one draw; the pricings belong to `derived`.
  LanePrices(const Derived& derived, const PriceClasses& classes, std::vector<const Pricing*> draws);

  std::uint32_t lanes() const;

  // Returns true if every lane takes the same time with the transposed work free. One lane then stands for
  // all.
  bool free_is_uniform() const { return free_is_uniform_; }

 private:
  friend class PricedRows;

  // Classes that cost the same: how their rows are made, and the place of those among the rows of all groups.
  enum class Rows : std::uint8_t { One, ByMicrobatch, ByEvent };
  struct Group {
    EventId representative;
    bool transposed;
    std::uint32_t events = 0;
    Rows rows = Rows::ByEvent;
    std::uint32_t first_row = 0;  // among the rows of all groups; unused for ByEvent
    std::size_t seconds = 0;      // for One: index into seconds_ of the first draw
  };

  std::uint32_t group_of(const Event& event, bool transposed) const;
  bool same_price(const Event& a, const Event& b) const;
  void price(Group& group);
  Rows rows_of(const Event& event, std::uint32_t events) const;
  bool alike(const Group& group) const;

  const Derived& derived_;
  const PriceClasses& classes_;
  std::vector<const Pricing*> draws_;
  std::vector<StageId> like_;         // by stage
  std::vector<std::uint32_t> group_;  // by class
  std::vector<Group> groups_;
  std::vector<double> seconds_;
  std::uint32_t rows_ = 0;  // of all groups
  bool free_is_uniform_ = true;
};

// The durations that price() gives each draw, lane by lane, equal to the last bit, priced when asked for.
class PricedRows final : public DurationRows {
 public:
  // Views the prices.
  PricedRows(const LanePrices& prices, TransposedWork work);

  // Chooses the lanes that later calls price. Contract: the lanes cut no joined group of events that are not
  // uniform.
  void set_lanes(std::uint32_t first, std::uint32_t count);

  std::uint32_t events() const override { return static_cast<std::uint32_t>(takes_.size()); }
  std::uint32_t lanes() const override { return lanes_; }
  // Contract: `first` is 0 or the end of the last stretch.
  RowStretch from(std::uint32_t first) override;

 private:
  using Group = LanePrices::Group;
  using Rows = LanePrices::Rows;

  void take_rows(const PriceClasses::Run& run, std::uint32_t& next);
  bool is_free(const Group& group) const;
  bool by_event(const PriceClasses::Run& run) const;
  double* row(std::uint32_t index) { return rows_.data() + std::size_t{index} * row_width(lanes_); }
  template <class PriceLane>
  void price(const Group& group, std::uint32_t count, double* rows, PriceLane price_lane) const;
  void price(const Group& group);
  void price_events(const PriceClasses::Run& run, double* rows) const;

  const LanePrices& prices_;
  TransposedWork work_;
  bool in_stretches_ = false;  // is anything priced event by event?
  std::uint32_t first_ = 0;
  std::uint32_t lanes_ = 0;
  std::vector<MicrobatchId> microbatches_;  // all microbatches
  // Row of each event; rows priced event by event follow the rows of all groups.
  std::vector<std::uint32_t> takes_;
  AlignedVector<double> rows_;
};

}  // namespace spillway
