#include "policy/prepared_order.h"

#include <utility>

#include "policy/order_key.h"

namespace spillway {

PreparedOrder::PreparedOrder(Derived derived_schedule)
    : derived(std::move(derived_schedule)),
      longest_path(derived.order),
      evaluator(derived, longest_path),
      classes(derived) {}

std::shared_ptr<const PreparedOrder> OrderCache::derive(const Model& model, const Schedule& schedule,
                                                        const Cut& cut, const DeriveOptions& options) {
  std::string key = order_key(model, schedule, cut, options);
  if (auto known = find(key)) return known;
  // Unlocked: another thread may derive the same, and the first of the two to finish is kept for both.
  return keep(std::move(key),
              std::make_shared<const PreparedOrder>(spillway::derive(model, schedule, cut, options)));
}

std::shared_ptr<const PreparedOrder> OrderCache::find(const std::string& key) {
  const std::scoped_lock lock(mutex_);
  const auto known = by_key_.find(key);
  if (known == by_key_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, known->second);
  return entries_.front().order;
}

std::shared_ptr<const PreparedOrder> OrderCache::keep(std::string key,
                                                      std::shared_ptr<const PreparedOrder> order) {
  const std::size_t events = order->derived.order.event_count();
  const std::scoped_lock lock(mutex_);
  if (const auto known = by_key_.find(key); known != by_key_.end()) return known->second->order;
  if (events > most_events_) return order;
  for (; events_ + events > most_events_; entries_.pop_back()) {
    events_ -= entries_.back().order->derived.order.event_count();
    by_key_.erase(entries_.back().key);
  }
  entries_.push_front({std::move(key), std::move(order)});
  by_key_.emplace(entries_.front().key, entries_.begin());
  events_ += events;
  return entries_.front().order;
}

}  // namespace spillway
