// Walks through a streamed order, for any engine. It knows the next event of each rank, whether its inputs
// have arrived, and the receivers of its result. It keeps only data that is under way.
//
// It leaves out waits that a rank's own sequence implies: a backward's for its loss and its forward, and a
// weight gradient's for the input gradient.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "derive/order_stream.h"

namespace spillway {

// Values that have arrived at a stage and are not yet taken, by turn: a window over the microbatches under
// way.
template <class Value>
class Arrivals {
 public:
  // The number of values of a turn. It is complete with all of them.
  void expect(std::uint32_t each) { each_ = each; }

  // Stores a value of a turn. Contract: each turn comes as often as expected, in any order.
  void put(std::uint32_t turn, Value value) {
    while (turn - first_ >= places_.size()) widen();
    Place& at = place(turn);
    at.value = at.state == State::Some ? later(at.value, value) : value;
    at.state = ++at.count == each_ ? State::Here : State::Some;
  }

  // The latest value of a turn; null if they have not all arrived.
  const Value* find(std::uint32_t turn) const {
    if (turn - first_ >= places_.size()) return nullptr;
    const Place& at = places_[turn & (places_.size() - 1)];
    return at.state == State::Here ? &at.value : nullptr;
  }

  // Removes the value of a turn. Contract: find() has found it.
  void take(std::uint32_t turn) {
    place(turn).state = State::Taken;
    while (place(first_).state == State::Taken) place(first_++) = Place{};
  }

 private:
  enum class State : std::uint8_t { Nothing, Some, Here, Taken };
  struct Place {
    Value value = {};
    State state = State::Nothing;
    std::uint32_t count = 0;
  };
  static constexpr std::size_t kFewest = 4;

  Place& place(std::uint32_t turn) { return places_[turn & (places_.size() - 1)]; }

  void widen() {
    std::vector<Place> wider(std::max(kFewest, 2 * places_.size()));
    for (std::uint32_t i = 0; i < places_.size(); ++i)
      wider[(first_ + i) & (wider.size() - 1)] = place(first_ + i);
    places_ = std::move(wider);
  }

  std::uint32_t each_ = 1;
  std::uint32_t first_ = 0;    // the first turn that is not taken
  std::vector<Place> places_;  // ring buffer by turn; the size is a power of two
};

// Returns true if a computing event runs a backward of its peer stage, or a half of one.
inline bool ends_backward(const Event& event) {
  return !event.runs_forward() || event.kind == EventKind::ForwardBackward;
}
// Returns true if the event passes a gradient on.
inline bool passes_back(const Event& event) {
  return ends_backward(event) && event.kind != EventKind::BackwardWeight;
}

enum class Way { Forward, Backward };

// `Value` is an engine's record of an arrival; later(a, b) combines two arrivals.
template <class Value>
class StreamWalk {
 public:
  // Keeps a reference to the order.
  explicit StreamWalk(const OrderStream& order)
      : order_(order), ranks_(order.outline().pipeline.ranks), stages_(order.outline().stages.size()) {
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
      ranks_[rank].positions = order.positions(RankId(rank));
    for (std::uint32_t stage = 0; stage < stages_.size(); ++stage)
      arrivals(Way::Forward, StageId(stage)).expect(order.feeders(StageId(stage)));
  }

  // Returns the rank's next event if all its inputs have arrived, and combines their values into `ready`.
  std::optional<Event> take_next(RankId id, Value& ready) {
    Rank& rank = ranks_[id.index()];
    if (!look_up(id, rank)) return std::nullopt;
    const Event& event = *rank.next;
    Incoming forward = waits(Way::Forward, event), backward = waits(Way::Backward, event);
    if (forward.missing || backward.missing) return std::nullopt;
    ready = later(ready, later(forward.take(ready), backward.take(ready)));
    ++rank.position;
    return std::exchange(rank.next, std::nullopt);
  }

  // The position of the event that was taken last. Contract: there is one.
  std::uint64_t position(RankId id) const { return ranks_[id.index()].position - 1; }

  // Visits the transfers of a computing event, forward and backward.
  template <class Visit>
  void for_each_sent(const Event& event, const Visit& visit) const {
    if (event.runs_forward())
      if (const auto sent = order_.passed_on(event.stage, event.microbatch)) visit(*sent, Way::Forward);
    if (!passes_back(event)) return;
    for (std::uint32_t feeder = 0; feeder < order_.feeders(event.peer_stage); ++feeder)
      if (const auto sent = order_.passed_back(event.peer_stage, event.peer_microbatch, feeder))
        visit(*sent, Way::Backward);
  }

  // Records the arrival of a transfer at its receiving stage.
  void arrive(const Event& sent, Way way, Value value) {
    arrivals(way, sent.peer_stage).put(order_.turn(sent.peer_stage, sent.microbatch), value);
  }

  void ensure_over() const {
    for (const Rank& rank : ranks_)
      ensure(rank.position == rank.positions, "a stream does not wait for itself");
  }

 private:
  struct Rank {
    std::uint64_t positions = 0;
    std::uint64_t position = 0;
    std::optional<Event> next = {};  // the event at `position`, if looked up
  };
  // The input of an event in one direction; empty if it has none.
  struct Incoming {
    Arrivals<Value>* arrivals = nullptr;
    std::uint32_t turn = 0;
    bool missing = false;

    Value take(Value ready) {
      if (arrivals == nullptr) return ready;
      const Value value = *arrivals->find(turn);
      arrivals->take(turn);
      return value;
    }
  };

  // Looks up the rank's next event; returns false at the end.
  bool look_up(RankId id, Rank& rank) const {
    while (!rank.next && rank.position < rank.positions) {
      rank.next = order_.computing(id, rank.position);
      if (!rank.next) ++rank.position;
    }
    return rank.next.has_value();
  }

  Incoming waits(Way way, const Event& event) {
    const bool forward = way == Way::Forward;
    const StageId stage = forward ? event.stage : event.peer_stage;
    const bool fed = forward ? event.runs_forward() && order_.feeders(stage) > 0
                             : passes_back(event) && order_.is_fed_back(stage);
    if (!fed) return {};
    Arrivals<Value>& here = arrivals(way, stage);
    const std::uint32_t turn = order_.turn(stage, forward ? event.microbatch : event.peer_microbatch);
    return {&here, turn, here.find(turn) == nullptr};
  }

  Arrivals<Value>& arrivals(Way way, StageId stage) {
    return stages_[stage.index()][way == Way::Forward ? 0 : 1];
  }

  const OrderStream& order_;
  std::vector<Rank> ranks_;
  std::vector<std::array<Arrivals<Value>, 2>> stages_;  // by way
};

}  // namespace spillway
