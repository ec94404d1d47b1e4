// Hill climbing on the longest path, first improvement. A move swaps two microbatches, or takes one out and
// inserts it elsewhere:
//
//   1 2 3 4 5  ->  1 4 3 2 5        1 2 3 4 5  ->  1 3 4 2 5
//
// The graph is the same under every order. So the critical path of the best order is a path under any other
// order, and its length, priced anew, bounds that order's makespan from below. A move that does not shorten
// this path is refused, at the price of the few events that the path and the move share. Job-shop search uses
// the same argument (van Laarhoven, Aarts, Lenstra: Job Shop Scheduling by Simulated Annealing, Operations
// Research 40(1), 1992). A move that shortens it is priced in full: 2/M of the events for a swap, and one
// longest path.
//
// Moves that all start from the best order do not depend on each other. So several of them go through the
// graph as lanes of one pass. The climb takes the first that improves, as if each had been tried by itself,
// and does not charge the budget for those behind it.
#include "optimize/microbatch_climb.h"

#include <algorithm>
#include <span>

#include "timing/critical_path.h"

namespace spillway {
namespace {

// The number of events that a longest path visits in the time of pricing one event.
constexpr double kVisitsPerPrice = 32;

// Lanes of moves that are tried together, after a move tried alone has not improved.
constexpr std::uint32_t kTriedLanes = 2 * kLineLanes;

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
  // The distance between positions that the move changes. A swap leaves those between its two alone.
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

// Returns all swaps, then all insertions that are not swaps.
std::vector<Move> neighbourhood(std::uint32_t positions) {
  std::vector<Move> moves;
  for (std::uint32_t a = 0; a < positions; ++a)
    for (std::uint32_t b = a + 1; b < positions; ++b) moves.push_back({Move::Kind::Swap, a, b});
  for (std::uint32_t a = 0; a < positions; ++a) {
    for (std::uint32_t b = 0; b < positions; ++b) {
      const Move move{Move::Kind::Insert, a, b};
      if (move.high() - move.low() > 1) moves.push_back(move);  // else it is a swap
    }
  }
  return moves;
}

// Climbs from the given orders for one group of replicas. The orders of other replicas stay.
class Climb {
 public:
  Climb(const ClimbedStep& step, const ReplicaGroup& group, std::vector<Permutation>& orders,
        const ReorderedCosts& costs, double budget)
      : step_(step),
        group_(group),
        orders_(orders),
        costs_(costs),
        moves_(neighbourhood(static_cast<std::uint32_t>(step.events.size()))),
        durations_(step.derived.order.event_count(), lanes()),
        alone_(durations_),
        together_(durations_.events(), lanes() * std::max(1U, kTriedLanes / lanes())),
        left_(budget) {
    for (std::uint32_t index = 0; index < durations_.events(); ++index) {
      price_event(EventId(index), durations_, 0);
      share(EventId(index));
    }
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

  // Replicas that advance together are also moved together, so that equal sizes stay side by side.
  bool improve() {
    bool improved = lanes() > 1 && improve(group_);
    for (const ReplicaId& one : group_) improved |= improve(std::span(&one, 1));
    return improved;
  }

  bool improve(Movers movers) {
    bool improved = false;
    Durations* tried = &alone_;
    for (std::size_t next = 0; next < moves_.size() && left_ > 0;) {
      collect(next, movers, *tried);
      const auto better = first_better(*tried);
      tried = better == trials_.end() ? &together_ : &alone_;
      if (better == trials_.end()) continue;
      take(*better, movers);
      next = better->place + 1;
      improved = true;
    }
    return improved;
  }

  // A move that shortens the critical path. `left` is the budget after it, if it improves. If it does not,
  // the previous order is priced again and charged, too.
  struct Trial {
    std::size_t place;  // index into moves_
    double left;
    Seconds makespan;
  };

  // Collects trials from move `next` on, as many as `out` has lanes and the budget allows. Sets `next` behind
  // them.
  void collect(std::size_t& next, Movers movers, Durations& out) {
    trials_.clear();
    for (; next < moves_.size() && left_ > 0 && trials_.size() < out.lanes() / lanes(); ++next) {
      apply(moves_[next], movers);
      if (path_change(moves_[next]) < Seconds()) {
        const double before = left_;
        price_positions(moves_[next], out, static_cast<std::uint32_t>(trials_.size()) * lanes());
        const double priced = before - left_;
        left_ -= visits();
        trials_.push_back({next, left_, {}});
        left_ -= priced;
      }
      apply(moves_[next].undone(), movers);
    }
  }

  // Restores the best order in the tried lanes, from which the next trials start.
  std::vector<Trial>::iterator first_better(Durations& tried) {
    if (trials_.empty()) return trials_.end();
    const std::vector<Seconds> makespans = makespans_of(tried);
    for (std::uint32_t i = 0; i < trials_.size(); ++i) {
      trials_[i].makespan = makespans[i];
      for_each_event(moves_[trials_[i].place], [&](EventId id) { copy_best(id, tried, i * lanes()); });
    }
    return std::find_if(trials_.begin(), trials_.end(),
                        [this](const Trial& trial) { return trial.makespan < best_; });
  }

  // Lanes behind the trials have the best order.
  std::vector<Seconds> makespans_of(const Durations& tried) {
    HeldRows rows(tried, 0, tried.lanes());
    const std::vector<Seconds> last = step_.longest_path.run(rows, ends_).last;
    std::vector<Seconds> makespans;
    for (auto first = last.begin(); first != last.end(); first += lanes())
      makespans.push_back(*std::max_element(first, first + lanes()));
    return makespans;
  }

  void take(const Trial& trial, Movers movers) {
    const Move& move = moves_[trial.place];
    apply(move, movers);
    price_positions(move, durations_, 0);
    for_each_event(move, [&](EventId id) { share(id); });
    left_ = trial.left;
    accept(trial.makespan);
  }

  void apply(const Move& move, Movers movers) {
    for (const ReplicaId replica : movers) move.apply(orders_[replica.index()]);
  }

  double visits() const { return static_cast<double>(durations_.events()) * lanes() / kVisitsPerPrice; }

  // Makes the present order the best one. Later moves are compared with its critical path.
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
    left_ -= 4 * visits();  // a timeline writes every event
  }

  // Returns by how much the present order lengthens the critical path of the best order.
  Seconds path_change(const Move& move) {
    ++asked_;
    Seconds change;
    for (std::uint32_t position = move.low(); position <= move.high(); position += move.stride()) {
      for (std::size_t index : path_at_[position]) {
        OnPath& on = path_[index];
        if (on.counted_in == asked_) continue;
        on.counted_in = asked_;
        const std::uint32_t joined = joined_in_group(on.at.event);
        change += slowest(on.at.event, on.at.lane - on.at.lane % joined, joined) - on.seconds;
      }
    }
    return change;
  }

  template <class Each>
  void for_each_event(const Move& move, Each each) {
    for (std::uint32_t position = move.low(); position <= move.high(); position += move.stride())
      for (EventId id : step_.events[position]) each(id);
  }

  // Prices the move's positions under the present orders, into the lanes from `at` on.
  void price_positions(const Move& move, Durations& out, std::uint32_t at) {
    for_each_event(move, [&](EventId id) { price_event(id, out, at); });
  }

  void price_event(EventId id, Durations& out, std::uint32_t at) {
    const std::uint32_t joined = joined_in_group(id);
    for (std::uint32_t first = 0; first < lanes(); first += joined) {
      const Seconds seconds = slowest(id, first, joined);
      for (std::uint32_t lane = first; lane < first + joined; ++lane) out.at(id, at + lane) = seconds;
    }
  }

  void share(EventId id) {
    for (Durations* tried : {&alone_, &together_})
      for (std::uint32_t first = 0; first < tried->lanes(); first += lanes()) copy_best(id, *tried, first);
  }

  // Copies to the lanes from `first` on.
  void copy_best(EventId id, Durations& tried, std::uint32_t first) const {
    for (std::uint32_t lane = 0; lane < lanes(); ++lane) tried.at(id, first + lane) = durations_.at(id, lane);
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
    std::uint64_t counted_in;  // the last move that counted it; an overlapped pass is at two positions
  };

  const ClimbedStep& step_;
  const ReplicaGroup& group_;
  std::vector<Permutation>& orders_;
  const ReorderedCosts& costs_;
  std::vector<Move> moves_;
  std::vector<Trial> trials_;
  Durations durations_;  // of the group, under the best orders found
  Durations alone_;      // the same, except for one move that is tried
  Durations together_;   // repeated, except for several moves that are tried
  LiveEnds ends_;
  double left_;
  Seconds best_;
  std::vector<OnPath> path_;
  std::vector<std::vector<std::size_t>> path_at_;  // position -> indices into path_
  std::uint64_t asked_ = 0;
};

}  // namespace

ClimbedStep::ClimbedStep(const Derived& step, std::uint32_t together)
    : derived(step), events(events_by_position(step)), longest_path(step.order, together) {}

Seconds climb(const ClimbedStep& step, const ReplicaGroup& group, std::vector<Permutation>& orders,
              const ReorderedCosts& costs, double prices) {
  return Climb(step, group, orders, costs, prices).run();
}

}  // namespace spillway
