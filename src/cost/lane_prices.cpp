#include "cost/lane_prices.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

#include "base/error.h"

namespace spillway {
namespace {

auto key_of(const Event& event) {
  return std::tuple(event.kind, event.comm, event.group, event.stage, event.peer_stage, event.rank,
                    event.peer_rank, event.joined_replicas);
}

bool holds_encoder(const Derived& derived, const Event& event) {
  const auto holds = [&](StageId stage) { return derived.holds(derived.stage(stage), Role::Encoder); };
  return event.computes() &&
         (holds(event.stage) || (event.kind == EventKind::ForwardBackward && holds(event.peer_stage)));
}

bool same_bits(Seconds a, Seconds b) {
  return std::bit_cast<std::uint64_t>(a.value()) == std::bit_cast<std::uint64_t>(b.value());
}

// What of an event is a forward, as an event of its own.
Event forward_of(Event event) {
  event.kind = EventKind::Forward;
  return event;
}

// Of two rows the first minus the second.
void subtract(const Durations& both, EventId id, Durations& out) {
  for (std::uint32_t lane = 0; lane < out.lanes(); ++lane)
    out.at(id, lane) = both.at(EventId(0), lane) - both.at(EventId(1), lane);
}

}  // namespace

PriceClasses::PriceClasses(const Derived& derived) {
  std::map<decltype(key_of(Event())), std::uint32_t> known;
  const auto events = derived.order.events();
  class_of_.reserve(events.size());
  for (std::uint32_t index = 0; index < events.size(); ++index) {
    const auto next = static_cast<std::uint32_t>(classes_.size());
    const auto [at, is_new] = known.try_emplace(key_of(events[index]), next);
    if (is_new) classes_.push_back({{}, holds_encoder(derived, events[index])});
    classes_[at->second].events.push_back(EventId(index));
    class_of_.push_back(at->second);
  }
}

LanePrices::LanePrices(const Derived& derived, const PriceClasses& classes,
                       std::vector<const CostModel*> draws)
    : derived_(derived), classes_(classes), draws_(std::move(draws)) {
  ensure(!draws_.empty(), "lanes are priced from draws");
  for (std::uint32_t price_class = 0; price_class < classes.count(); ++price_class)
    by_class_.push_back(one_for_all(price_class));
  varying_ = varying();
}

LanePrices::Varying LanePrices::varying() const {
  Varying events;
  for (std::uint32_t price_class = 0; price_class < by_class_.size(); ++price_class) {
    const OneForAll& one = by_class_[price_class];
    const auto add_to = [of_class = classes_.events(price_class)](std::vector<EventId>& all) {
      all.insert(all.end(), of_class.begin(), of_class.end());
    };
    if (!one.counted) add_to(events.counted);
    if (!one.free) add_to(events.free);
    if (!one.encoder_forward) add_to(events.encoder_forward);
  }
  return events;
}

LanePrices::OneForAll LanePrices::one_for_all(std::uint32_t price_class) const {
  const Event& event = derived_.order.event(classes_.representative(price_class));
  const std::optional<Seconds> counted = one_for_all(event, EncoderWork::Counted);
  if (!classes_.encodes(price_class)) return {counted, counted, Seconds()};
  return {counted, one_for_all(event, EncoderWork::Free), one_encoder_forward(event)};
}

std::optional<Seconds> LanePrices::one_for_all(const Event& event, EncoderWork work) const {
  if (!event.computes() && !event.communicates()) return Seconds();
  std::optional<Seconds> one;
  for (const CostModel* costs : draws_) {
    if (!costs->uniform(derived_, event, work)) return std::nullopt;
    const Seconds time = event_seconds(derived_, *costs, event, ReplicaId(0), work);
    if (one && !same_bits(*one, time)) return std::nullopt;
    one = time;
  }
  return one;
}

std::optional<Seconds> LanePrices::one_encoder_forward(const Event& event) const {
  if (!event.runs_forward()) return Seconds();
  const auto counted = one_for_all(forward_of(event), EncoderWork::Counted);
  const auto free = one_for_all(forward_of(event), EncoderWork::Free);
  return counted && free ? std::optional(*counted - *free) : std::nullopt;
}

std::uint32_t LanePrices::lanes() const {
  return static_cast<std::uint32_t>(draws_.size()) * derived_.pipeline.replicas;
}

void LanePrices::check(std::uint32_t first, const Durations& out) const {
  ensure(out.events() == derived_.order.event_count(), "there is a price for each event");
  ensure(first + out.lanes() <= lanes(), "the lanes are of these draws");
}

void LanePrices::price_each(const Event& event, EncoderWork work, std::uint32_t first, EventId at,
                            Durations& out) const {
  const std::uint32_t replicas = derived_.pipeline.replicas;
  ensure(first % event.joined_replicas == 0 && out.lanes() % event.joined_replicas == 0,
         "a joined group is not cut");
  for (std::uint32_t lane = 0; lane < out.lanes(); ++lane)
    out.at(at, lane) = event_seconds(derived_, *draws_[(first + lane) / replicas], event,
                                     ReplicaId((first + lane) % replicas), work);
  if (event.joined_replicas > 1) level_joined(out, at, event.joined_replicas);
}

// Zero where lanes differ: those are priced after.
void LanePrices::fill(std::optional<Seconds> OneForAll::*one, Durations& out) const {
  std::vector<Seconds> times;
  for (const OneForAll& of_class : by_class_) times.push_back((of_class.*one).value_or(Seconds()));
  for (std::uint32_t index = 0; index < out.events(); ++index)
    out.fill(EventId(index), times[classes_.of(EventId(index))]);
}

// Few classes have any.
void LanePrices::fill_encoder_forwards(Durations& out) const {
  std::fill(out.flat().begin(), out.flat().end(), Seconds());
  for (std::uint32_t price_class = 0; price_class < by_class_.size(); ++price_class) {
    const Seconds one = by_class_[price_class].encoder_forward.value_or(Seconds());
    if (same_bits(one, Seconds())) continue;
    for (EventId id : classes_.events(price_class)) out.fill(id, one);
  }
}

void LanePrices::price(EncoderWork work, std::uint32_t first, Durations& out) const {
  check(first, out);
  fill(work == EncoderWork::Counted ? &OneForAll::counted : &OneForAll::free, out);
  reprice(work, first, out);
}

void LanePrices::reprice(EncoderWork work, std::uint32_t first, Durations& out) const {
  check(first, out);
  for (EventId id : work == EncoderWork::Counted ? varying_.counted : varying_.free)
    price_each(derived_.order.event(id), work, first, id, out);
}

void LanePrices::encoder_forwards(std::uint32_t first, Durations& out) const {
  check(first, out);
  fill_encoder_forwards(out);
  Durations both(2, out.lanes());
  for (EventId id : varying_.encoder_forward) {
    price_each(derived_.order.event(id), EncoderWork::Counted, first, EventId(0), both);
    encoder_forward(id, first, both, out);
  }
}

void LanePrices::reprice_encoder_forwards(std::uint32_t first, const Durations& counted,
                                          Durations& out) const {
  check(first, out);
  check(first, counted);
  Durations both(2, out.lanes());
  for (EventId id : varying_.encoder_forward) {
    for (std::uint32_t lane = 0; lane < out.lanes(); ++lane) both.at(EventId(0), lane) = counted.at(id, lane);
    encoder_forward(id, first, both, out);
  }
}

// `both`, scratch space, holds in its first row what the event takes with the encoder counted.
void LanePrices::encoder_forward(EventId id, std::uint32_t first, Durations& both, Durations& out) const {
  const Event& event = derived_.order.event(id);
  if (event.kind == EventKind::ForwardBackward) return encoder_of_overlapped(event, id, first, both, out);
  if (const auto& same = by_class_[classes_.of(id)].free)
    both.fill(EventId(1), *same);
  else
    price_each(event, EncoderWork::Free, first, EventId(1), both);
  subtract(both, id, out);
}

// Of a forward beside a backward: what it would be alone, and a joined group is given the longest of these.
void LanePrices::encoder_of_overlapped(const Event& event, EventId id, std::uint32_t first, Durations& both,
                                       Durations& out) const {
  Event forward = forward_of(event);
  forward.joined_replicas = 1;
  price_each(forward, EncoderWork::Counted, first, EventId(0), both);
  price_each(forward, EncoderWork::Free, first, EventId(1), both);
  subtract(both, id, out);
  if (event.joined_replicas > 1) level_joined(out, id, event.joined_replicas);
}

bool LanePrices::free_is_uniform() const {
  return std::all_of(by_class_.begin(), by_class_.end(),
                     [](const OneForAll& one) { return one.free.has_value(); });
}

}  // namespace spillway
