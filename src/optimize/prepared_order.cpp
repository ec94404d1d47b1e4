#include "optimize/prepared_order.h"

#include <utility>

namespace spillway {

PreparedOrder::PreparedOrder(Derived derived_schedule)
    : derived(std::move(derived_schedule)),
      longest_path(derived.order),
      evaluator(derived, longest_path),
      classes(derived) {}

std::shared_ptr<const PreparedOrder> OrderCache::derive(OrderInput input) {
  if (auto known = find(input)) return known;
  // Unlocked: another thread may derive the same, and the first of the two to finish is kept for both.
  auto order = std::make_shared<const PreparedOrder>(
      spillway::derive(input.model, input.schedule, input.cut, input.options));
  return keep({std::move(input), std::move(order)});
}

std::shared_ptr<const PreparedOrder> OrderCache::find(const OrderInput& input) {
  const std::scoped_lock lock(mutex_);
  const auto known = by_input_.find(&input);
  if (known == by_input_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, known->second);
  return entries_.front().order;
}

std::shared_ptr<const PreparedOrder> OrderCache::keep(Entry entry) {
  const std::size_t events = entry.order->derived.order.event_count();
  const std::scoped_lock lock(mutex_);
  if (const auto known = by_input_.find(&entry.input); known != by_input_.end()) return known->second->order;
  if (events > most_events_) return entry.order;
  for (; events_ + events > most_events_; entries_.pop_back()) {
    events_ -= entries_.back().order->derived.order.event_count();
    by_input_.erase(&entries_.back().input);
  }
  entries_.push_front(std::move(entry));
  by_input_.emplace(&entries_.front().input, entries_.begin());
  events_ += events;
  return entries_.front().order;
}

}  // namespace spillway
