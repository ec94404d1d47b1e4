#include "cost/lane_prices.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "derive/feeding.h"

namespace spillway {
namespace {

auto key_of(const Event& event) {
  return std::tuple(event.kind, event.comm, event.group, event.stage, event.peer_stage, event.rank,
                    event.peer_rank, event.joined_replicas);
}

bool same_bits(Seconds a, Seconds b) {
  return std::bit_cast<std::uint64_t>(a.value()) == std::bit_cast<std::uint64_t>(b.value());
}

}  // namespace

PriceClasses::PriceClasses(const Derived& derived) {
  const std::optional<Feeding> feeding = feeding_of(derived);
  std::map<decltype(key_of(Event())), std::uint32_t> known;
  const auto events = derived.order.events();
  class_of_.reserve(events.size());
  for (std::uint32_t index = 0; index < events.size(); ++index) {
    const auto next = static_cast<std::uint32_t>(classes_.size());
    const auto [at, is_new] = known.try_emplace(key_of(events[index]), next);
    if (is_new) classes_.push_back({{}, is_transposed_work(derived, feeding, events[index])});
    classes_[at->second].events.push_back(EventId(index));
    class_of_.push_back(at->second);
  }
}

LanePrices::LanePrices(const Derived& derived, const PriceClasses& classes, std::vector<const Pricing*> draws)
    : derived_(derived), classes_(classes), draws_(std::move(draws)) {
  ensure(!draws_.empty(), "lanes are priced from draws");
  for (std::uint32_t price_class = 0; price_class < classes.count(); ++price_class)
    one_for_all_.push_back(one_for_all(derived.order.event(classes.representative(price_class))));
  for (const bool transposed : {false, true}) {
    if (transposed) varying_free_ = varying_.size();
    for (std::uint32_t price_class = 0; price_class < classes.count(); ++price_class) {
      if (one_for_all_[price_class] || classes.is_transposed(price_class) != transposed) continue;
      const auto of_class = classes.events(price_class);
      varying_.insert(varying_.end(), of_class.begin(), of_class.end());
    }
  }
}

std::optional<Seconds> LanePrices::one_for_all(const Event& event) const {
  if (!event.computes() && !event.communicates()) return Seconds();
  std::optional<Seconds> one;
  for (const Pricing* pricing : draws_) {
    if (!pricing->uniform(event)) return std::nullopt;
    const Seconds time = event_seconds(*pricing, event, ReplicaId(0));
    if (one && !same_bits(*one, time)) return std::nullopt;
    one = time;
  }
  return one;
}

std::uint32_t LanePrices::lanes() const {
  return static_cast<std::uint32_t>(draws_.size()) * derived_.pipeline.replicas;
}

void LanePrices::check(std::uint32_t first, const Durations& out) const {
  ensure(out.events() == derived_.order.event_count(), "there is a price for each event");
  ensure(first + out.lanes() <= lanes(), "the lanes are of these draws");
}

void LanePrices::price_each(EventId id, std::uint32_t first, Durations& out) const {
  const std::uint32_t replicas = derived_.pipeline.replicas;
  const Event& event = derived_.order.event(id);
  ensure(first % event.joined_replicas == 0 && out.lanes() % event.joined_replicas == 0,
         "a joined group is not cut");
  for (std::uint32_t lane = 0; lane < out.lanes(); ++lane)
    out.at(id, lane) =
        event_seconds(*draws_[(first + lane) / replicas], event, ReplicaId((first + lane) % replicas));
  if (event.joined_replicas > 1) level_joined(out, id, event.joined_replicas);
}

void LanePrices::fill(TransposedWork work, Durations& out) const {
  std::vector<Seconds> times;
  for (std::uint32_t price_class = 0; price_class < one_for_all_.size(); ++price_class) {
    const bool free = work == TransposedWork::Free && classes_.is_transposed(price_class);
    times.push_back(free ? Seconds() : one_for_all_[price_class].value_or(Seconds()));
  }
  for (std::uint32_t index = 0; index < out.events(); ++index)
    out.fill(EventId(index), times[classes_.of(EventId(index))]);
}

void LanePrices::price(TransposedWork work, std::uint32_t first, Durations& out) const {
  check(first, out);
  fill(work, out);
  reprice(work, first, out);
}

void LanePrices::reprice(TransposedWork work, std::uint32_t first, Durations& out) const {
  check(first, out);
  const std::size_t count = work == TransposedWork::Counted ? varying_.size() : varying_free_;
  for (std::size_t i = 0; i < count; ++i) price_each(varying_[i], first, out);
}

bool LanePrices::free_is_uniform() const {
  return varying_free_ == 0;
}

}  // namespace spillway
