// Orders derived once and priced many times: what a sweep lives on.
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

// All that derive() reads. Compared field by field, so that a field added to any of them tells orders apart
// without being listed anywhere; listed orders are compared by content.
struct OrderInput {
  Model model;
  Schedule schedule;
  Cut cut;
  DeriveOptions options;

  friend bool operator==(const OrderInput&, const OrderInput&) = default;
};

// Equal for equal inputs. It reads what mostly differs between the orders of a process: a field that it does
// not read costs a comparison, never a wrong answer.
struct HashOfOrderInput {
  std::size_t operator()(const OrderInput& input) const;
};

// A derived schedule with what its evaluation needs. Nothing in it depends on a duration.
struct PreparedOrder {
  Derived derived;
  LongestPath longest_path;
  LaneEvaluator evaluator;
  PriceClasses classes;

  explicit PreparedOrder(Derived derived_schedule);
};

// Remembers orders by everything that derive() reads, the latest ones used, so long as they have no more than
// `most_events` events together. For several threads.
class OrderCache {
 public:
  explicit OrderCache(std::size_t most_events = 2'000'000) : most_events_(most_events) {}

  // What derive() makes of it, or made before. Contract: as derive()'s.
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
  std::mutex mutex_;                                                                // guards what follows
  Entries entries_;                                                                 // the latest used first
  std::unordered_map<const OrderInput*, Entries::iterator, Hash, Equal> by_input_;  // points into entries_
  std::size_t events_ = 0;                                                          // of all entries
};

}  // namespace spillway
