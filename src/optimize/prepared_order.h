// Orders that are derived once and priced many times, as a sweep does.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "cost/lane_prices.h"
#include "derive/derive.h"
#include "timing/lane_evaluator.h"
#include "timing/longest_path.h"

namespace spillway {

// All inputs of derive(). They are compared field by field, so a new field of any of them distinguishes
// orders without being listed anywhere. Listed orders are compared by content.
struct OrderInput {
  Model model;
  Schedule schedule;
  Cut cut;
  DeriveOptions options;

  friend bool operator==(const OrderInput&, const OrderInput&) = default;
};

// Equal inputs have equal hashes. The hash reads the fields in which the orders of a process mostly differ. A
// field that it does not read costs a comparison, never a wrong result.
struct HashOfOrderInput {
  std::size_t operator()(const OrderInput& input) const;
};

// A derived schedule and all that its evaluation needs. Nothing in it depends on a duration.
struct PreparedOrder {
  Derived derived;
  LongestPath longest_path;
  LaneEvaluator evaluator;
  PriceClasses classes;

  explicit PreparedOrder(Derived derived_schedule);
};

// Caches the most recently used orders by their inputs, with at most `most_events` events in total.
// Thread-safe.
class OrderCache {
 public:
  explicit OrderCache(std::size_t most_events = 2'000'000) : most_events_(most_events) {}

  // Returns the order that derive() makes of the input, from the cache if it is there. Contract: that of
  // derive().
  std::shared_ptr<const PreparedOrder> derive(OrderInput input);

 private:
  struct Entry {
    OrderInput input;
    std::shared_ptr<const PreparedOrder> order;
  };
  using Entries = std::list<Entry>;
  struct Hash {
    std::size_t operator()(const OrderInput* input) const { return HashOfOrderInput()(*input); }
  };
  struct Equal {
    bool operator()(const OrderInput* a, const OrderInput* b) const { return *a == *b; }
  };

  std::shared_ptr<const PreparedOrder> find(const OrderInput& input);
  std::shared_ptr<const PreparedOrder> keep(Entry entry);

  std::size_t most_events_;
  std::mutex mutex_;  // guards the members below
  Entries entries_;   // the most recently used first
  std::unordered_map<const OrderInput*, Entries::iterator, Hash, Equal> by_input_;  // points into entries_
  std::size_t events_ = 0;                                                          // of all entries
};

}  // namespace spillway
