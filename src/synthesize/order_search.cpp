#include "synthesize/order_search.h"

#include <algorithm>
#include <utility>

#include "synthesize/pass_room.h"

namespace spillway {
namespace {

// Shares of the changes.
constexpr double kRelisted = 0.3, kEncodes = 0.3, kExchanged = 0.15, kOnPath = 0.75;
// Of the lists by other times, the shares of those from both ends and of groups.
constexpr double kJustified = 0.4, kGrouped = 0.4;
// The share of moved encodes that go to another rank.
constexpr double kToAnother = 0.5;

// Tries for each pass without a better order after which a search begins again, and their most. By how much
// an order may then be worse.
constexpr std::uint64_t kStalePerPass = 8, kMostStale = 500;
constexpr double kAllowed = 0.1;

// The share of these beginnings far from the best order, and of owners that change there. By how many times
// their own time passes are shifted there, and at most in other lists.
constexpr double kScattered = 0.3, kOtherOwners = 0.25, kWidest = 20, kWide = 4;

// An order that is the best but does not fit in some draw makes the room for later orders this much smaller,
// down to a least.
constexpr double kLessRoom = 0.98, kLeastRoom = 0.5;

// The largest number of pipelined stages on a rank.
std::uint32_t most_chunks(const Derived& derived) {
  std::vector<std::uint32_t> chunks(derived.pipeline.ranks);
  for (std::uint32_t id = 0; id < derived.stages.size(); ++id)
    if (!derived.is_input(StageId(id))) ++chunks[derived.stages[id].rank.index()];
  return *std::ranges::max_element(chunks);
}

std::vector<ListRule> rules_of(const Derived& derived) {
  return list_rules(derived.pipeline.ranks, derived.pipeline.microbatches, most_chunks(derived));
}

}  // namespace

OrderSearch::OrderSearch(std::vector<OwnedOrder> starts, WithOwners with_owners, Fits fits,
                         std::uint64_t seed)
    : starts_(std::move(starts)),
      with_owners_(std::move(with_owners)),
      fits_(std::move(fits)),
      rules_(rules_of(starts_.front().step->derived())),
      stale_(std::min(kStalePerPass * starts_.front().step->needs().event.size(), kMostStale)),
      random_({static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}),
      current_(starts_.front()),
      history_(kHistory, kNone) {
  consider(current_, true);
}

std::uint32_t OrderSearch::below(std::size_t count) {
  return static_cast<std::uint32_t>(
      std::min(static_cast<std::size_t>(random_.uniform() * static_cast<double>(count)), count - 1));
}

// Delays passes of a changed order until there is memory for them. Returns false if that does not help.
bool OrderSearch::keep_room(OwnedOrder& order) const {
  if (!current_keeps_room_) return true;
  order.sequences = within_room(order.step->needs(), std::move(order.sequences), room_);
  return keeps_room(order.step->needs(), order.sequences, room_);
}

// Some draws need more memory than those by which orders are made. If one of them does not keep the limit,
// later orders are made for less.
bool OrderSearch::fits(const OwnedOrder& order, Seconds step) {
  if (!fits_(order, Walked::Some)) return false;
  if (step >= best_step_ || fits_(order, Walked::All)) return true;
  room_ = std::max(room_ * kLessRoom, kLeastRoom);
  return false;
}

// A start or an order of a rule becomes the current one if it is the best so far. A changed one may be worse
// than the current one.
void OrderSearch::consider(OwnedOrder order, bool as_planned) {
  Seconds& earlier = history_[tries_++ % kHistory];
  const PricedStep& step = *order.step;
  if ((as_planned || keep_room(order)) && step.graph().run(order.sequences, step.durations(), tried_ends_)) {
    const Seconds mean = tried_ends_.mean(step.replicas());
    const bool kept = as_planned ? mean < best_step_ : mean <= current_step_ || mean < earlier;
    if (kept && fits(order, mean)) keep(std::move(order), mean);
  }
  earlier = current_step_;
  if (found() && tries_ - improved_at_ >= stale_) begin_again();
}

// A list schedule far from the best one: of its passes, shifted by much, or by a rule under other owners.
OwnedOrder OrderSearch::scattered() {
  if (!with_owners_ || derived().inputs() == 0)
    return {current_.step, shifted_order(timed(), kWidest, random_)};
  OwnerMaps owners = owners_of(derived());
  for (OwnerMap& owner : owners)
    for (RankId& rank : owner)
      if (random_.uniform() < kOtherOwners) rank = RankId(below(derived().pipeline.ranks));
  std::shared_ptr<const PricedStep> step = with_owners_(owners);
  PassSequences sequences = list_order(step->graph(), step->needs(), rules_[below(rules_.size())], room_);
  return {std::move(step), std::move(sequences)};
}

// Goes back to the best order, and allows somewhat longer steps for a while; or climbs from another one.
void OrderSearch::begin_again() {
  improved_at_ = tries_;
  current_ = best_;
  current_step_ = best_step_;
  current_keeps_room_ = keeps_room(current_.step->needs(), current_.sequences, room_);
  ensure(current_.step->graph().run(current_.sequences, current_.step->durations(), current_ends_),
         "the best order has run");
  if (random_.uniform() < kScattered) {
    OwnedOrder order = scattered();
    if (order.step->graph().run(order.sequences, order.step->durations(), tried_ends_)) {
      const Seconds mean = tried_ends_.mean(best_.step->replicas());
      if (fits(order, mean)) keep(std::move(order), mean);
    }
  }
  std::ranges::fill(history_, current_step_ * (1 + kAllowed * random_.uniform()));
}

void OrderSearch::keep(OwnedOrder order, Seconds step) {
  current_step_ = step;
  std::swap(current_ends_, tried_ends_);
  current_ = std::move(order);
  current_keeps_room_ = keeps_room(current_.step->needs(), current_.sequences, room_);
  if (step >= best_step_) return;
  best_step_ = step;
  best_ = current_;
  improved_at_ = tries_;
}

void OrderSearch::try_next() {
  if (tries_ < starts_.size())
    consider(starts_[tries_], true);
  else if (tries_ < starts_.size() + rules_.size())
    consider({current_.step, list_order(current_.step->graph(), current_.step->needs(),
                                        rules_[tries_ - starts_.size()], room_)},
             true);
  else if (!found() && (!with_owners_ || derived().inputs() == 0))
    ++tries_;  // nothing else makes an order fit
  else if (!found())
    consider(scattered(), true);
  else
    consider(changed(), false);
}

TimedOrder OrderSearch::timed() {
  return {current_, current_ends_, below(current_ends_.ends.lanes()), room_};
}

PassSequences OrderSearch::relisted() {
  const double how = random_.uniform();
  if (how < kJustified) return justified_order(timed(), kWide * random_.uniform(), random_);
  if (how < kJustified + kGrouped) return grouped_order(timed(), random_);
  return shifted_order(timed(), 1 + kWide * random_.uniform(), random_);
}

// Returns the passes on a lane's longest path that only wait for their rank, last first.
std::vector<std::uint32_t> OrderSearch::waits_for_ranks(std::uint32_t lane) const {
  const auto end = [&](std::uint32_t event) { return current_ends_.ends.at(EventId(event), lane); };
  std::uint32_t event = current_ends_.order.front();
  for (const std::uint32_t one : current_ends_.order)
    if (end(one) > end(event)) event = one;
  std::vector<std::uint32_t> waiting;
  while (event != kNoPass) {
    std::uint32_t last = kNoPass;
    for (const std::uint32_t needed : current_.step->graph().needs_of(event))
      if (last == kNoPass || end(needed) > end(last)) last = needed;
    const std::uint32_t before = current_ends_.before[event];
    if (before != kNoPass && (last == kNoPass || end(before) > end(last))) {
      last = before;
      waiting.push_back(event);
    }
    event = last;
  }
  return waiting;
}

// Returns the places on a random lane's longest path at which a pass only waits for its rank.
std::vector<OrderSearch::Place> OrderSearch::critical_places() {
  std::vector<Place> places;
  for (const std::uint32_t pass : waits_for_ranks(below(current_ends_.ends.lanes()))) {
    const std::uint32_t rank = event_of(pass).rank.index();
    const auto& sequence = current_.sequences[rank];
    places.push_back({rank, static_cast<std::size_t>(std::ranges::find(sequence, pass) - sequence.begin())});
  }
  return places;
}

void OrderSearch::move_pass(PassSequences& sequences) {
  std::vector<std::uint32_t> movable;
  for (std::uint32_t rank = 0; rank < sequences.size(); ++rank)
    if (sequences[rank].size() > 1) movable.push_back(rank);
  if (movable.empty()) return;
  Place place{movable[below(movable.size())], 0};
  place.second = 1 + below(sequences[place.rank].size() - 1);
  if (random_.uniform() < kOnPath)
    if (const std::vector<Place> critical = critical_places(); !critical.empty())
      place = critical[below(critical.size())];
  auto& sequence = sequences[place.rank];
  const auto second = sequence.begin() + static_cast<std::ptrdiff_t>(place.second);
  const std::size_t farthest = random_.uniform() < 0.5 ? 1 : derived().pipeline.ranks + 1;
  if (random_.uniform() < 0.5) {
    const std::size_t by = 1 + below(std::min(farthest, place.second));
    std::rotate(second - static_cast<std::ptrdiff_t>(by), second, second + 1);
  } else {
    const std::size_t by = 1 + below(std::min(farthest, sequence.size() - place.second));
    std::rotate(second - 1, second, second + static_cast<std::ptrdiff_t>(by));
  }
}

// Lets two microbatches change places on every rank: their forwards, their backwards or both. Moves on one
// rank alone hardly ever lead there, since the orders of the ranks between are slow.
void OrderSearch::exchange_microbatches(PassSequences& sequences) {
  const std::uint32_t microbatches = derived().pipeline.microbatches;
  const MicrobatchId one(below(microbatches)), other(below(microbatches));
  const std::uint32_t which = below(3);
  const auto changes = [&](const Event& event) {
    const bool forward = event.kind == EventKind::Forward;
    return event.kind != EventKind::ForwardBackward && (which == 2 || forward == (which == 0));
  };
  for (auto& sequence : sequences)
    for (std::uint32_t& pass : sequence) {
      Event event = event_of(pass);
      if (!changes(event) || (event.microbatch != one && event.microbatch != other)) continue;
      const MicrobatchId to = event.microbatch == one ? other : one;
      if (event.peer_microbatch == event.microbatch) event.peer_microbatch = to;
      event.microbatch = to;
      if (const std::uint32_t twin = current_.step->pass_of(event); twin != kNoPass) pass = twin;
    }
}

// Moves the encode of a microbatch, most often of one that a rank on the longest path runs.
OwnedOrder OrderSearch::moved_encode() {
  const std::uint32_t lane = below(current_ends_.ends.lanes());
  RegionId input(below(derived().inputs()));
  MicrobatchId microbatch(below(derived().pipeline.microbatches));
  std::vector<std::uint32_t> critical;
  if (random_.uniform() < kOnPath) critical = waits_for_ranks(lane);
  std::erase_if(critical, [&](std::uint32_t pass) { return !derived().is_input(event_of(pass).stage); });
  if (!critical.empty()) {
    const Event& event = event_of(critical[below(critical.size())]);
    input = derived().stage(event.stage).region;
    microbatch = event.microbatch;
  }
  RankId rank = owners_of(derived())[input.index()][microbatch.index()];
  if (with_owners_ && random_.uniform() < kToAnother) rank = RankId(below(derived().pipeline.ranks));
  return with_moved_encode(current_, current_ends_, lane, input, microbatch, rank, with_owners_, random_);
}

// With several draws, which microbatch goes first is chance: to choose one would suit these draws alone.
bool OrderSearch::knows_sizes() const {
  return current_.step->durations().lanes() == current_.step->replicas();
}

OwnedOrder OrderSearch::changed() {
  if (random_.uniform() < kRelisted) return {current_.step, relisted()};
  if (derived().inputs() > 0 && random_.uniform() < kEncodes) return moved_encode();
  OwnedOrder order = current_;
  if (knows_sizes() && random_.uniform() < kExchanged) {
    exchange_microbatches(order.sequences);
    return order;
  }
  move_pass(order.sequences);
  if (random_.uniform() < 0.25) move_pass(order.sequences);
  return order;
}

}  // namespace spillway
