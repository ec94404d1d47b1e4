// The algorithm finds the periodic middle of the step and wraps one period of it into a timed event graph. It
// splits the graph into strongly connected components and takes the maximum cycle ratio of each. If a rank
// ends one component before it begins another, their times add up; if components run side by side, the slower
// one determines the growth:
//
//   1F1B            rank  F F F B F B F B F B B B     one component: F and B wait for each other by turns
//   GPipe           rank  F F F F F F B B B B B B     forwards, then backwards: F + B per microbatch
//   transpose,1f1b  rank  e e e F F B F B F B F B B   a prefix of M/P encodes, then the body
//
// So the growth is the heaviest chain of components in the order  "the end of A's middle comes before the
// start of B's", found by search from each component through the order. Cost: components x edges of the
// order, and Howard's iteration on one period.
#include "maxplus/steady_state.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "maxplus/cycle_ratio.h"
#include "maxplus/heaviest_chain.h"
#include "maxplus/precedence.h"
#include "order/durations.h"
#include "order/order.h"

namespace spillway {
namespace {

// Events that differ only by their microbatch form a class. A translation by k microbatches maps each event
// to another of its class. Reduces and the barrier belong to no class.
class Translation {
 public:
  explicit Translation(const Order& order);

  std::uint32_t microbatches() const { return microbatches_; }
  bool has_microbatch(EventId id) const { return class_[id.index()] != kNone; }
  std::uint32_t microbatch(EventId id) const { return microbatch_[id.index()]; }
  // The events of a microbatch.
  const std::vector<EventId>& events_at(std::uint32_t microbatch) const { return at_[microbatch]; }
  // The event of `id`'s class `by` microbatches later; none if the order has no such event.
  std::optional<EventId> moved(EventId id, std::int64_t by) const;

 private:
  static constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);

  std::uint32_t microbatches_ = 0;
  std::vector<std::uint32_t> class_;       // by event
  std::vector<std::uint32_t> microbatch_;  // by event
  std::vector<std::vector<EventId>> at_;   // by microbatch
  std::vector<std::uint32_t> event_;       // [class * microbatches + microbatch]
};

// In the middle, events of microbatch m + period wait for the translated predecessors of those of microbatch
// m, and last as long.
struct PeriodicMiddle {
  std::uint32_t first;  // the middle is [first, end): the longest stretch around the middle third
  std::uint32_t end;
  std::uint32_t period;  // in microbatches, the least in the middle third
};

// One period of the middle wrapped up: node n stands for tasks[n] and all its translates.
struct Quotient {
  std::vector<Port> tasks;
  std::vector<TokenEdge> edges;
};

// For a fused event the class includes the distance between its halves' microbatches.
std::pair<Event, std::int64_t> class_of(const Event& event) {
  const bool fused = event.kind == EventKind::ForwardBackward;
  return {of_any_microbatch(event),
          fused ? std::int64_t{event.microbatch.index()} - event.peer_microbatch.index() : 0};
}

bool repeats(const Event& event) {
  return !event.in_group() && event.kind != EventKind::StepBarrier;
}

bool last_equally_long(const Durations& durations, EventId a, EventId b) {
  for (std::uint32_t lane = 0; lane < durations.lanes(); ++lane) {
    if (durations.at(a, lane) != durations.at(b, lane)) return false;
  }
  return true;
}

// Returns true if `later` waits for exactly the predecessors of `event`, moved by `by` microbatches.
bool wait_alike(const Translation& translation, const Precedence& precedence, EventId event, EventId later,
                std::uint32_t by) {
  std::vector<EventId> expected, found;
  for (const std::uint32_t before : precedence.before(event)) {
    const auto moved = translation.moved(EventId(before), by);
    if (!moved) return false;
    expected.push_back(*moved);
  }
  for (const std::uint32_t before : precedence.before(later)) found.emplace_back(before);
  std::sort(expected.begin(), expected.end());
  std::sort(found.begin(), found.end());
  return expected == found;
}

bool moves_onto(const Translation& translation, const Precedence& precedence, const Durations& durations,
                std::uint32_t microbatch, std::uint32_t by) {
  const auto& events = translation.events_at(microbatch);
  if (events.size() != translation.events_at(microbatch + by).size()) return false;
  return std::all_of(events.begin(), events.end(), [&](EventId event) {
    const auto later = translation.moved(event, by);
    return later && precedence.joined(event) == precedence.joined(*later) &&
           last_equally_long(durations, event, *later) &&
           wait_alike(translation, precedence, event, *later, by);
  });
}

Translation::Translation(const Order& order) {
  std::map<std::pair<Event, std::int64_t>, std::uint32_t> classes;
  for (const Event& event : order.events()) {
    const auto next = static_cast<std::uint32_t>(classes.size());
    class_.push_back(repeats(event) ? classes.try_emplace(class_of(event), next).first->second : kNone);
    microbatch_.push_back(event.microbatch.index());
    microbatches_ = std::max(microbatches_, event.microbatch.index() + 1);
  }
  at_.resize(microbatches_);
  event_.assign(classes.size() * microbatches_, kNone);
  for (std::uint32_t id = 0; id < class_.size(); ++id) {
    if (class_[id] == kNone) continue;
    at_[microbatch_[id]].push_back(EventId(id));
    event_[std::size_t{class_[id]} * microbatches_ + microbatch_[id]] = id;
  }
}

std::optional<EventId> Translation::moved(EventId id, std::int64_t by) const {
  const std::int64_t to = microbatch(id) + by;
  if (!has_microbatch(id) || to < 0 || to >= microbatches_) return std::nullopt;
  const std::uint32_t event =
      event_[std::size_t{class_[id.index()]} * microbatches_ + static_cast<std::size_t>(to)];
  return event == kNone ? std::nullopt : std::optional(EventId(event));
}

// Returns nothing if nothing repeats within a sixth of the microbatches: the step is too short, or has no
// period.
std::optional<PeriodicMiddle> periodic_middle(const Translation& translation, const Precedence& precedence,
                                              const Durations& durations) {
  std::uint32_t first = translation.microbatches() / 3, end = translation.microbatches() - first;
  const auto repeats_after = [&](std::uint32_t microbatch, std::uint32_t period) {
    return moves_onto(translation, precedence, durations, microbatch, period);
  };
  for (std::uint32_t period = 1; 2 * period <= end - first; ++period) {
    std::uint32_t m = first;
    while (m + period < end && repeats_after(m, period)) ++m;
    if (m + period < end) continue;
    while (first > 0 && repeats_after(first - 1, period)) --first;
    while (end < translation.microbatches() && repeats_after(end - period, period)) ++end;
    return PeriodicMiddle{first, end, period};
  }
  return std::nullopt;
}

// Returns nothing if an edge leaves the periodic middle: the step is too short for the reach of its edges.
std::optional<Quotient> quotient(const PeriodicMiddle& middle, const Translation& translation,
                                 const Precedence& precedence, const Durations& durations) {
  Quotient wrapped;
  std::map<Port, std::uint32_t> node;
  for (std::uint32_t m = middle.first; m < middle.first + middle.period; ++m) {
    for (const EventId event : translation.events_at(m)) {
      for (std::uint32_t lane = 0; lane < durations.lanes(); lane += precedence.joined(event)) {
        node.emplace(Port{event, lane}, static_cast<std::uint32_t>(wrapped.tasks.size()));
        wrapped.tasks.push_back({event, lane});
      }
    }
  }
  bool closed = true;
  for (std::uint32_t to = 0; to < wrapped.tasks.size(); ++to) {
    precedence.for_each_before(wrapped.tasks[to], [&](Port before) {
      const std::int64_t ahead = std::int64_t{translation.microbatch(before.event)} - middle.first;
      const std::int64_t period = middle.period;
      const std::int64_t periods = (ahead >= 0 ? ahead : ahead - period + 1) / period;
      const auto home = translation.moved(before.event, -periods * period);
      if (!home) {
        closed = false;
        return;
      }
      wrapped.edges.push_back({node.at({*home, before.lane}), to, durations.at(before.event, before.lane),
                               static_cast<std::int32_t>(-periods)});
    });
  }
  return closed ? std::optional(std::move(wrapped)) : std::nullopt;
}

// A strongly connected part of the quotient, with its own numbering of nodes.
struct Component {
  std::vector<Port> tasks;
  std::vector<TokenEdge> edges;
};

std::vector<Component> components(const Quotient& wrapped) {
  const auto nodes = static_cast<std::uint32_t>(wrapped.tasks.size());
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> graph(nodes);
  for (const TokenEdge& edge : wrapped.edges) boost::add_edge(edge.from, edge.to, graph);
  std::vector<std::uint32_t> component(nodes), number(nodes);
  const auto count = boost::strong_components(
      graph, boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, graph)));
  std::vector<Component> found(count);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    std::vector<Port>& tasks = found[component[node]].tasks;
    number[node] = static_cast<std::uint32_t>(tasks.size());
    tasks.push_back(wrapped.tasks[node]);
  }
  for (const TokenEdge& edge : wrapped.edges) {
    if (component[edge.from] != component[edge.to]) continue;
    found[component[edge.from]].edges.push_back(
        {number[edge.from], number[edge.to], edge.weight, edge.tokens});
  }
  std::erase_if(found, [](const Component& one) { return one.edges.empty(); });
  return found;
}

// All tasks that come after the tasks from which it has spread.
class Aftermath {
 public:
  Aftermath(const Precedence& precedence, std::uint32_t lanes)
      : precedence_(precedence), reached_(precedence.event_count(), lanes) {}

  void spread_from(Port task) {
    std::vector<Port> open = {task};
    while (!open.empty()) {
      const Port next = open.back();
      open.pop_back();
      precedence_.for_each_after(next, [&](Port after) {
        if (reached_.at(after.event, after.lane) != 0) return;
        reached_.at(after.event, after.lane) = 1;
        open.push_back(after);
      });
    }
  }

  bool holds(Port task) const { return reached_.at(task.event, task.lane) != 0; }

 private:
  const Precedence& precedence_;
  PerEvent<std::uint8_t> reached_;
};

Phase phase_of(const Component& component) {
  const CriticalCycle cycle =
      critical_cycle(static_cast<std::uint32_t>(component.tasks.size()), component.edges);
  Phase phase{cycle.ratio(), cycle.tokens, {}};
  for (const std::uint32_t node : cycle.nodes) phase.critical_cycle.push_back(component.tasks[node].event);
  return phase;
}

// follows[a]: the components whose first period comes after the last one of a.
std::vector<std::vector<std::size_t>> successions(const std::vector<Component>& all,
                                                  const PeriodicMiddle& middle,
                                                  const Translation& translation,
                                                  const Precedence& precedence, std::uint32_t lanes) {
  const std::uint32_t to_last_period = ((middle.end - middle.first) / middle.period - 1) * middle.period;
  std::vector<std::vector<std::size_t>> follows(all.size());
  for (std::size_t a = 0; a < all.size(); ++a) {
    Aftermath after(precedence, lanes);
    for (const Port task : all[a].tasks)
      after.spread_from({*translation.moved(task.event, to_last_period), task.lane});
    for (std::size_t b = 0; b < all.size(); ++b) {
      const auto& tasks = all[b].tasks;
      if (std::any_of(tasks.begin(), tasks.end(), [&](Port task) { return after.holds(task); }))
        follows[a].push_back(b);
    }
  }
  return follows;
}

}  // namespace

Seconds SteadyState::per_microbatch() const {
  Seconds sum;
  for (const Phase& phase : phases) sum += phase.eigenvalue;
  return sum / period;
}

std::uint32_t SteadyState::cyclicity() const {
  std::uint32_t periods = 1;
  for (const Phase& phase : phases) periods = std::lcm(periods, phase.tokens);
  return period * periods;
}

std::optional<SteadyState> steady_state(const Order& order, const Durations& durations) {
  ensure(durations.events() == order.event_count(), "durations cover the order");
  const Precedence precedence(order);
  const Translation translation(order);
  const auto middle = periodic_middle(translation, precedence, durations);
  if (!middle) return std::nullopt;
  const auto wrapped = quotient(*middle, translation, precedence, durations);
  if (!wrapped) return std::nullopt;
  const std::vector<Component> all = components(*wrapped);
  std::vector<Phase> phases;
  for (const Component& component : all) phases.push_back(phase_of(component));
  std::vector<Seconds> eigenvalues;
  for (const Phase& phase : phases) eigenvalues.push_back(phase.eigenvalue);
  const auto follows = successions(all, *middle, translation, precedence, durations.lanes());
  // Phases can follow each other in a cycle only if the middle is shorter than the reach of its edges.
  const auto chain = heaviest_chain(eigenvalues, follows);
  if (!chain) return std::nullopt;
  SteadyState state{middle->period, {}};
  for (const std::size_t phase : *chain) state.phases.push_back(std::move(phases[phase]));
  return state;
}

}  // namespace spillway
