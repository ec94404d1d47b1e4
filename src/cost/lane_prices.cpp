#include "cost/lane_prices.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "base/error.h"
#include "derive/feeding.h"

namespace spillway {
namespace {

// Rows of sixteen lanes for this many events fit the nearer half of a second-level cache.
constexpr std::uint32_t kFewest = 256, kMost = 4096;
// Events of a class in a stretch, if kMost allows: what they have in common is looked up once for all of
// them.
constexpr std::uint32_t kOfEachClass = 8;

constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);

// Most rows of microbatches that are priced before they are asked for. Sixteen lanes of them stay in a
// second-level cache.
constexpr std::uint32_t kMostRows = 8192;

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool is_pass(const Event& event) {
  return event.computes() && event.kind != EventKind::ForwardBackward;
}

}  // namespace

PriceClasses::PriceClasses(const Derived& derived) {
  classify(derived);
  stretch_events_ = std::clamp(kOfEachClass * count(), kFewest, kMost);
  const auto all = static_cast<std::uint32_t>(class_of_.size());
  events_.resize(all, EventId(0));
  microbatches_.resize(all, MicrobatchId(0));
  std::vector<std::uint32_t> run_of(count(), kNone);
  for (std::uint32_t first = 0; first < all; first += stretch_events_)
    add_stretch(derived.order, first, std::min(first + stretch_events_, all), run_of);
  first_run_.push_back(static_cast<std::uint32_t>(runs_.size()));
}

// Events of one kind and communication on a stage are mostly of one class, so the class found last is tried
// first.
void PriceClasses::classify(const Derived& derived) {
  constexpr std::size_t kKinds = static_cast<std::size_t>(EventKind::StepBarrier) + 1, kComms = 4;
  const std::optional<Feeding> feeding = feeding_of(derived);
  std::map<Event, std::uint32_t> known;
  const auto events = derived.order.events();
  std::vector<std::uint32_t> recent(derived.stages.size() * kKinds * kComms, kNone);
  class_of_.reserve(events.size());
  for (std::uint32_t index = 0; index < events.size(); ++index) {
    const Event event = of_any_microbatch(events[index]);
    const std::size_t way =
        static_cast<std::size_t>(event.kind) * kComms + static_cast<std::size_t>(event.comm);
    std::uint32_t& last = recent[event.stage.index() * kKinds * kComms + way];
    if (last == kNone || of_any_microbatch(events[classes_[last].first.index()]) != event) {
      const auto [at, is_new] = known.try_emplace(event, count());
      if (is_new)
        classes_.push_back({EventId(index), is_transposed_work(derived, feeding, events[index]), 0});
      last = at->second;
    }
    ++classes_[last].events;
    class_of_.push_back(last);
  }
}

// `run_of`, by class, is kNone before and after.
void PriceClasses::add_stretch(const Order& order, std::uint32_t first, std::uint32_t end,
                               std::vector<std::uint32_t>& run_of) {
  const std::size_t first_run = runs_.size();
  first_run_.push_back(static_cast<std::uint32_t>(first_run));
  for (std::uint32_t event = first; event < end; ++event) {
    std::uint32_t& run = run_of[class_of_[event]];
    if (run == kNone) {
      run = static_cast<std::uint32_t>(runs_.size());
      runs_.push_back({class_of_[event], 0, 0});
    }
    ++runs_[run].count;
  }
  std::uint32_t place = first;
  for (std::size_t run = first_run; run < runs_.size(); ++run)
    runs_[run].first = place, place += runs_[run].count, runs_[run].count = 0;
  for (std::uint32_t event = first; event < end; ++event) {
    Run& run = runs_[run_of[class_of_[event]]];
    events_[run.first + run.count] = EventId(event);
    microbatches_[run.first + run.count++] = order.event(EventId(event)).microbatch;
  }
  for (std::size_t run = first_run; run < runs_.size(); ++run) run_of[runs_[run].price_class] = kNone;
}

std::span<const PriceClasses::Run> PriceClasses::runs(std::uint32_t stretch) const {
  return std::span(runs_).subspan(first_run_[stretch], first_run_[stretch + 1] - first_run_[stretch]);
}

LanePrices::LanePrices(const Derived& derived, const PriceClasses& classes, std::vector<const Pricing*> draws)
    : derived_(derived), classes_(classes), draws_(std::move(draws)) {
  ensure(!draws_.empty(), "lanes are priced from draws");
  for (std::uint32_t stage = 0; stage < derived.stages.size(); ++stage)
    like_.push_back(draws_.front()->like(StageId(stage)));
  for (std::uint32_t price_class = 0; price_class < classes.count(); ++price_class) {
    const EventId event = classes.representative(price_class);
    const bool transposed = classes.is_transposed(price_class);
    group_.push_back(group_of(derived.order.event(event), transposed));
    if (group_.back() == groups_.size()) groups_.push_back({event, transposed});
    groups_[group_.back()].events += classes.events(price_class);
  }
  for (Group& group : groups_) {
    price(group);
    free_is_uniform_ = free_is_uniform_ && (group.transposed || alike(group));
  }
}

// Return the number of the event's group, or the next free number if it has none yet.
std::uint32_t LanePrices::group_of(const Event& event, bool transposed) const {
  const auto next = static_cast<std::uint32_t>(groups_.size());
  if (!is_pass(event) && !event.communicates()) return next;
  for (std::uint32_t i = 0; i < next; ++i)
    if (groups_[i].transposed == transposed &&
        same_price(derived_.order.event(groups_[i].representative), event))
      return i;
  return next;
}

// Holds for passes over stages that are alike, and for transfers.
bool LanePrices::same_price(const Event& a, const Event& b) const {
  if (a.kind != b.kind || a.joined_replicas != b.joined_replicas) return false;
  return a.communicates() ? draws_.front()->same_transfers(a, b)
                          : like_[a.stage.index()] == like_[b.stage.index()];
}

// Prices the part that does not depend on the lanes.
void LanePrices::price(Group& group) {
  const Event& event = derived_.order.event(group.representative);
  group.rows = rows_of(event, group.events);
  group.first_row = rows_;
  group.seconds = seconds_.size();
  if (group.rows == Rows::ByMicrobatch) rows_ += derived_.pipeline.microbatches;
  if (group.rows != Rows::One) return;
  ++rows_;
  for (const Pricing* pricing : draws_)
    seconds_.push_back(event_seconds(*pricing, event, ReplicaId(0)).value());
}

// By microbatch if that prices no more rows than there are events.
LanePrices::Rows LanePrices::rows_of(const Event& event, std::uint32_t events) const {
  const std::uint32_t microbatches = derived_.pipeline.microbatches;
  const bool books = !event.computes() && !event.communicates();
  const auto uniform = [&](const Pricing* pricing) { return pricing->uniform(event); };
  if (books || std::all_of(draws_.begin(), draws_.end(), uniform)) return Rows::One;
  const bool of_one = is_pass(event) || event.kind == EventKind::Collective;
  return of_one && events >= microbatches && rows_ + microbatches <= kMostRows ? Rows::ByMicrobatch
                                                                               : Rows::ByEvent;
}

bool LanePrices::alike(const Group& group) const {
  if (group.rows != Rows::One) return false;
  const auto first = seconds_.begin() + static_cast<std::ptrdiff_t>(group.seconds);
  return std::all_of(first, first + static_cast<std::ptrdiff_t>(draws_.size()),
                     [&](double seconds) { return same_bits(seconds, *first); });
}

std::uint32_t LanePrices::lanes() const {
  return static_cast<std::uint32_t>(draws_.size()) * derived_.pipeline.replicas;
}

PricedRows::PricedRows(const LanePrices& prices, TransposedWork work) : prices_(prices), work_(work) {
  const PriceClasses& classes = prices.classes_;
  for (std::uint32_t m = 0; m < prices.derived_.pipeline.microbatches; ++m) microbatches_.emplace_back(m);
  takes_.resize(prices.derived_.order.event_count());
  const std::uint32_t stretch = classes.stretch_events();
  for (std::uint32_t first = 0; first < takes_.size(); first += stretch) {
    std::uint32_t next = prices.rows_;
    for (const PriceClasses::Run& run : classes.runs(first / stretch)) take_rows(run, next);
  }
}

// `next` is the first row that no event of the stretch uses yet.
void PricedRows::take_rows(const PriceClasses::Run& run, std::uint32_t& next) {
  const Group& group = prices_.groups_[prices_.group_[run.price_class]];
  const auto events = prices_.classes_.events(run);
  const auto microbatches = prices_.classes_.microbatches(run);
  const bool each = group.rows == Rows::ByMicrobatch && !is_free(group);
  in_stretches_ = in_stretches_ || group.rows == Rows::ByEvent;
  for (std::size_t i = 0; i < events.size(); ++i)
    takes_[events[i].index()] = group.rows == Rows::ByEvent ? next++
                                : each                      ? group.first_row + microbatches[i].index()
                                                            : group.first_row;
}

bool PricedRows::is_free(const Group& group) const {
  return work_ == TransposedWork::Free && group.transposed;
}

bool PricedRows::by_event(const PriceClasses::Run& run) const {
  return prices_.groups_[prices_.group_[run.price_class]].rows == Rows::ByEvent;
}

void PricedRows::set_lanes(std::uint32_t first, std::uint32_t count) {
  ensure(first + count <= prices_.lanes(), "the lanes are of these draws");
  const std::uint32_t in_stretch = in_stretches_ ? prices_.classes_.stretch_events() : 0;
  // An unchanged number of lanes reuses the rows.
  if (count != lanes_) rows_.assign((std::size_t{prices_.rows_} + in_stretch) * row_width(count), 0);
  first_ = first;
  lanes_ = count;
  for (const Group& group : prices_.groups_)
    if (!is_free(group)) price(group);
}

// Prices the part that does not depend on the event.
void PricedRows::price(const Group& group) {
  const std::uint32_t replicas = prices_.derived_.pipeline.replicas;
  double* const rows = row(group.first_row);
  if (group.rows == Rows::One)
    for (std::uint32_t lane = 0; lane < lanes_; ++lane)
      rows[lane] = prices_.seconds_[group.seconds + (first_ + lane) / replicas];
  if (group.rows != Rows::ByMicrobatch) return;
  const Event& event = prices_.derived_.order.event(group.representative);
  price(group, prices_.derived_.pipeline.microbatches, rows,
        [&](const Pricing& pricing, ReplicaId replica, SecondsApart out) {
          if (is_pass(event))
            return pricing.passes(pass_of(event.kind), event.stage, replica, microbatches_, out);
          Event transfer = event;
          for (std::size_t i = 0; i < microbatches_.size(); ++i) {
            transfer.microbatch = microbatches_[i];
            out[i] = event_seconds(pricing, transfer, replica).value();
          }
        });
}

// Prices `count` rows, lane by lane. All joined replicas take the time of the slowest of them.
template <class PriceLane>
void PricedRows::price(const Group& group, std::uint32_t count, double* rows, PriceLane price_lane) const {
  const std::uint32_t replicas = prices_.derived_.pipeline.replicas, width = row_width(lanes_);
  const std::uint32_t joined = prices_.derived_.order.event(group.representative).joined_replicas;
  ensure(first_ % joined == 0 && lanes_ % joined == 0, "a joined group is not cut");
  for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
    const std::uint32_t all = first_ + lane;
    price_lane(*prices_.draws_[all / replicas], ReplicaId(all % replicas), SecondsApart{rows + lane, width});
  }
  for (std::uint32_t i = 0; i < count && joined > 1; ++i, rows += width)
    for (std::uint32_t lane = 0; lane < lanes_; lane += joined)
      std::fill_n(rows + lane, joined, std::max(0.0, *std::max_element(rows + lane, rows + lane + joined)));
}

void PricedRows::price_events(const PriceClasses::Run& run, double* rows) const {
  const auto events = prices_.classes_.events(run);
  const Event& first = prices_.derived_.order.event(events.front());
  const auto microbatches = prices_.classes_.microbatches(run);
  price(prices_.groups_[prices_.group_[run.price_class]], run.count, rows,
        [&](const Pricing& pricing, ReplicaId replica, SecondsApart out) {
          if (is_pass(first))
            return pricing.passes(pass_of(first.kind), first.stage, replica, microbatches, out);
          for (std::size_t i = 0; i < events.size(); ++i)
            out[i] = event_seconds(pricing, prices_.derived_.order.event(events[i]), replica).value();
        });
}

RowStretch PricedRows::from(std::uint32_t first) {
  if (!in_stretches_) return {events() - first, rows_.data(), takes_.data() + first};
  const std::uint32_t stretch = prices_.classes_.stretch_events();
  ensure(first % stretch == 0, "prices are asked for stretch by stretch");
  double* rows = row(prices_.rows_);
  for (const PriceClasses::Run& run : prices_.classes_.runs(first / stretch)) {
    if (!by_event(run)) continue;
    const bool free = is_free(prices_.groups_[prices_.group_[run.price_class]]);
    const std::size_t numbers = std::size_t{run.count} * row_width(lanes_);
    if (free)
      std::fill_n(rows, numbers, 0.0);
    else
      price_events(run, rows);
    rows += numbers;
  }
  return {std::min(stretch, events() - first), rows_.data(), takes_.data() + first};
}

}  // namespace spillway
