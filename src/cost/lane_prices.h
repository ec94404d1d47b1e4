// Pricing many draws of one order: lane = draw x replicas + replica.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cost/price.h"
#include "derive/derive.h"
#include "order/duration_rows.h"

namespace spillway {

// The events of an order by what their price can depend on besides microbatch, replica and draw: kind, stages
// and ranks make a class. Made once for an order.
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

// All of it, or with the transposed work free (derive/feeding.h).
enum class TransposedWork { Counted, Free };

// What draws take of an order. What is uniform in every draw is priced once for each, passes over stages that
// are alike once for each microbatch.
class LanePrices {
 public:
  // Views all three. Contract: at least one draw; the pricings are of `derived`.
  LanePrices(const Derived& derived, const PriceClasses& classes, std::vector<const Pricing*> draws);

  std::uint32_t lanes() const;

  // Does every lane take the same with the transposed work free? One stands for all then.
  bool free_is_uniform() const { return free_is_uniform_; }

 private:
  friend class PricedRows;

  // Classes that cost the same: how their rows come about, and which they are among those of all groups.
  enum class Rows : std::uint8_t { One, ByMicrobatch, ByEvent };
  struct Group {
    EventId representative;
    bool transposed;
    std::uint32_t events = 0;
    Rows rows = Rows::ByEvent;
    std::uint32_t first_row = 0;  // of those of all groups; none by event
    std::size_t seconds = 0;      // of One: where its draws begin in seconds_
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

// The durations that price() gives each draw, lane by lane, to the last bit, priced as they are asked for.
class PricedRows final : public DurationRows {
 public:
  // Views the prices.
  PricedRows(const LanePrices& prices, TransposedWork work);

  // Those that are asked for from here on. Contract: no group is cut whose joined event is not uniform.
  void set_lanes(std::uint32_t first, std::uint32_t count);

  std::uint32_t events() const override { return static_cast<std::uint32_t>(takes_.size()); }
  std::uint32_t lanes() const override { return lanes_; }
  // Contract: `first` is 0 or where the last stretch ended.
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
  std::vector<MicrobatchId> microbatches_;  // all of them
  std::vector<std::uint32_t> takes_;  // by event; what is priced event by event, behind all groups' rows
  AlignedVector<double> rows_;
};

}  // namespace spillway
