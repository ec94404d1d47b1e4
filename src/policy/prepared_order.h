// Orders derived once and priced many times: what a sweep lives on.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "cost/lane_prices.h"
#include "derive/derive.h"
#include "timing/lane_evaluator.h"
#include "timing/longest_path.h"

namespace spillway {

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

  // derive(), or what it gave before. Contract: as derive()'s.
  std::shared_ptr<const PreparedOrder> derive(const Model& model, const Schedule& schedule, const Cut& cut,
                                              const DeriveOptions& options);

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const PreparedOrder> order;
  };
  using Entries = std::list<Entry>;

  std::shared_ptr<const PreparedOrder> find(const std::string& key);
  std::shared_ptr<const PreparedOrder> keep(std::string key, std::shared_ptr<const PreparedOrder> order);

  std::size_t most_events_;
  std::mutex mutex_;                                                // guards what follows
  Entries entries_;                                                 // the latest used first
  std::unordered_map<std::string_view, Entries::iterator> by_key_;  // views entries_
  std::size_t events_ = 0;                                          // of all entries
};

}  // namespace spillway
