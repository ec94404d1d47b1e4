// Hill climbing on the longest path, first improvement. A move swaps two microbatches, or takes one out and
// puts it in elsewhere:
//
//   1 2 3 4 5  ->  1 4 3 2 5        1 2 3 4 5  ->  1 3 4 2 5
//
// The graph is the same under every order, so the critical path of the best order found is a path under any
// other, and its length, priced anew, bounds that one's makespan from below: a move that does not shorten it
// is refused for the price of the few events that the two have in common. Job-shop search rests on the same
// argument (van Laarhoven, Aarts, Lenstra: Job Shop Scheduling by Simulated Annealing, Operations Research
// 40(1), 1992). What shortens it is priced in full: 2/M of the events for a swap, and one longest path.
#include "policy/microbatch_climb.h"

#include <algorithm>
#include <span>

#include "timing/critical_path.h"

namespace spillway {
namespace {

// A longest path visits this many events in the time that one takes to price.
constexpr double kVisitsPerPrice = 32;

std::vector<std::vector<EventId>> events_by_position(const Derived& derived) {
  std::vector<std::vector<EventId>> events(derived.pipeline.microbatches);
  for (std::uint32_t index = 0; index < derived.order.event_count(); ++index) {
    const Event& event = derived.order.event(EventId(index));
    if (!event.computes() && event.kind != EventKind::Collective) continue;
    events[event.microbatch.index()].emplace_back(index);
    if (event.kind == EventKind::ForwardBackward) events[event.peer_microbatch.index()].emplace_back(index);
  }
  return events;
}

struct Move {
  enum class Kind { Swap, Insert };
  Kind kind;
  std::uint32_t from;
  std::uint32_t to;

  std::uint32_t low() const { return std::min(from, to); }
  std::uint32_t high() const { return std::max(from, to); }
  // Positions between the two that it leaves alone are stepped over.
  std::uint32_t stride() const { return kind == Kind::Swap ? high() - low() : 1; }
  Move undone() const { return {kind, to, from}; }

  void apply(Permutation& order) const {
    const auto at = order.begin();
    if (kind == Kind::Swap)
      std::swap(at[from], at[to]);
    else if (from < to)
      std::rotate(at + from, at + from + 1, at + to + 1);
    else
      std::rotate(at + to, at + from, at + from + 1);
  }
};

// Climbs from the orders it is given, for one group of replicas; the others' orders stay as they are.
class Climb {
 public:
  Climb(const ClimbedStep& step, const ReplicaGroup& group, std::vector<Permutation>& orders,
        const ReorderedCosts& costs, double budget)
      : step_(step),
        group_(group),
        orders_(orders),
        costs_(costs),
        durations_(step.derived.order.event_count(), lanes()),
        left_(budget) {
    for (std::uint32_t index = 0; index < durations_.events(); ++index) price_event(EventId(index));
    accept(step_.longest_path.makespan(durations_, ends_));
  }

  Seconds run() {
    while (left_ > 0 && improve()) {
    }
    return best_;
  }

 private:
  using Movers = std::span<const ReplicaId>;

  std::uint32_t lanes() const { return static_cast<std::uint32_t>(group_.size()); }

  // Replicas that advance together are moved together too, so that equal sizes stay side by side.
  bool improve() {
    bool improved = lanes() > 1 && improve(group_);
    for (const ReplicaId& one : group_) improved |= improve(std::span(&one, 1));
    return improved;
  }

  bool improve(Movers movers) {
    const auto positions = static_cast<std::uint32_t>(step_.events.size());
    bool improved = false;
    for (std::uint32_t a = 0; a < positions; ++a)
      for (std::uint32_t b = a + 1; b < positions; ++b)
        improved |= improves({Move::Kind::Swap, a, b}, movers);
    for (std::uint32_t a = 0; a < positions; ++a) {
      for (std::uint32_t b = 0; b < positions; ++b) {
        const Move move{Move::Kind::Insert, a, b};
        if (move.high() - move.low() > 1) improved |= improves(move, movers);  // else it is a swap
      }
    }
    return improved;
  }

  bool improves(const Move& move, Movers movers) {
    if (left_ <= 0) return false;
    apply(move, movers);
    if (path_change(move) < Seconds()) {
      price_positions(move);
      const Seconds makespan = step_.longest_path.makespan(durations_, ends_);
      left_ -= visits();
      if (makespan < best_) {
        accept(makespan);
        return true;
      }
      apply(move.undone(), movers);
      price_positions(move);
    } else {
      apply(move.undone(), movers);
    }
    return false;
  }

  void apply(const Move& move, Movers movers) {
    for (const ReplicaId replica : movers) move.apply(orders_[replica.index()]);
  }

  double visits() const { return static_cast<double>(durations_.events()) * lanes() / kVisitsPerPrice; }

  // The order is the best so far; its critical path is what every later one is held against.
  void accept(Seconds makespan) {
    best_ = makespan;
    path_.clear();
    path_at_.assign(step_.events.size(), {});
    const Timeline timeline = step_.longest_path.timeline(durations_);
    for (const CriticalEvent& at : critical_path(step_.derived.order, timeline)) {
      const Event& event = step_.derived.order.event(at.event);
      if (!event.computes() && event.kind != EventKind::Collective) continue;
      path_at_[event.microbatch.index()].push_back(path_.size());
      if (event.kind == EventKind::ForwardBackward)
        path_at_[event.peer_microbatch.index()].push_back(path_.size());
      path_.push_back({at, durations_.at(at.event, at.lane), 0});
    }
    left_ -= 4 * visits();  // a timeline is written event by event
  }

  // By how much the critical path of the best order is longer under the present one.
  Seconds path_change(const Move& move) {
    ++moves_;
    Seconds change;
    for (std::uint32_t position = move.low(); position <= move.high(); position += move.stride()) {
      for (std::size_t index : path_at_[position]) {
        OnPath& on = path_[index];
        if (on.counted_in == moves_) continue;
        on.counted_in = moves_;
        const std::uint32_t joined = joined_in_group(on.at.event);
        change += slowest(on.at.event, on.at.lane - on.at.lane % joined, joined) - on.seconds;
      }
    }
    return change;
  }

  void price_positions(const Move& move) {
    for (std::uint32_t position = move.low(); position <= move.high(); position += move.stride())
      for (EventId id : step_.events[position]) price_event(id);
  }

  void price_event(EventId id) {
    const std::uint32_t joined = joined_in_group(id);
    for (std::uint32_t first = 0; first < lanes(); first += joined) {
      const Seconds seconds = slowest(id, first, joined);
      for (std::uint32_t lane = first; lane < first + joined; ++lane) durations_.at(id, lane) = seconds;
    }
  }

  Seconds slowest(EventId id, std::uint32_t first_lane, std::uint32_t joined) {
    Seconds most;
    for (std::uint32_t lane = first_lane; lane < first_lane + joined; ++lane)
      most = std::max(most, event_seconds(costs_, step_.derived.order.event(id), group_[lane]));
    left_ -= joined;
    return most;
  }

  std::uint32_t joined_in_group(EventId id) const {
    return std::min(step_.derived.order.event(id).joined_replicas, lanes());
  }

  struct OnPath {
    CriticalEvent at;
    Seconds seconds;           // under the best order
    std::uint64_t counted_in;  // the last move that asked; an overlapped pass lies at two positions
  };

  const ClimbedStep& step_;
  const ReplicaGroup& group_;
  std::vector<Permutation>& orders_;
  const ReorderedCosts& costs_;
  Durations durations_;  // of the group, under the present orders
  PerEvent<Seconds> ends_;
  double left_;
  Seconds best_;
  std::vector<OnPath> path_;
  std::vector<std::vector<std::size_t>> path_at_;  // position -> indices into path_
  std::uint64_t moves_ = 0;
};

}  // namespace

ClimbedStep::ClimbedStep(const Derived& step, std::uint32_t together)
    : derived(step), events(events_by_position(step)), longest_path(step.order, together) {}

Seconds climb(const ClimbedStep& step, const ReplicaGroup& group, std::vector<Permutation>& orders,
              const ReorderedCosts& costs, double prices) {
  return Climb(step, group, orders, costs, prices).run();
}

}  // namespace spillway
