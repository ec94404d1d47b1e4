#include "optimize/prepared_order.h"

#include <cstdint>
#include <utility>

namespace spillway {
namespace {

class Hash {
 public:
  void add(std::uint64_t value) { hash_ = (hash_ ^ value ^ hash_ >> 32U) * 0x9e3779b97f4a7c15U; }
  std::size_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0;
};

void hash_schedule(const Schedule& schedule, Hash& hash) {
  for (const Skeleton& skeleton : schedule.skeletons) {
    hash.add(static_cast<std::uint64_t>(skeleton.kind));
    if (!skeleton.listed) continue;
    for (const RankOrder& order : (*skeleton.listed)->orders)
      for (const Slot& slot : order) hash.add(slot.microbatch.index());
  }
}

void hash_options(const DeriveOptions& options, Hash& hash) {
  const auto [ranks, microbatches, replicas] = options.pipeline;
  for (const std::uint32_t size : {ranks, microbatches, replicas}) hash.add(size);
  for (const std::uint32_t layers : options.layers_per_rank) hash.add(layers);
  for (const OwnerMap& owners : options.owners)
    for (const RankId owner : owners) hash.add(owner.index());
  for (const std::vector<PlacedPass>& rank : options.placed)
    for (const PlacedPass& pass : rank) hash.add(pass.before);
}

}  // namespace

std::size_t HashOfOrderInput::operator()(const OrderInput& input) const {
  Hash hash;
  for (const Block& block : input.model.blocks()) hash.add(block.layers);
  for (const std::uint32_t boundary : input.cut.boundaries) hash.add(boundary);
  hash_schedule(input.schedule, hash);
  hash_options(input.options, hash);
  return hash.value();
}

PreparedOrder::PreparedOrder(Derived derived_schedule)
    : derived(std::move(derived_schedule)),
      longest_path(derived.order),
      evaluator(derived, longest_path),
      classes(derived) {}

std::shared_ptr<const PreparedOrder> OrderCache::derive(OrderInput input) {
  if (auto known = find(input)) return known;
  // The cache is not locked here: another thread may derive the same order, and the first to finish serves
  // both.
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
