// Wrap one period of the middle up, split what waits for itself into strongly connected components, and take
// each one's maximum cycle ratio. Where a rank runs one component to its end before it begins another, their
// times add up; where they run side by side, the slower one rules:
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
#include <numeric>
#include <utility>

#include "base/error.h"
#include "maxplus/heaviest_chain.h"
#include "maxplus/periodicity.h"

namespace spillway {
namespace {

// A strongly connected part of the quotient, with nodes of its own.
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

// All tasks that the last period of `component` in the middle comes before.
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
  // In a circle, phases follow each other only where the middle is shorter than its edges reach.
  const auto chain = heaviest_chain(eigenvalues, follows);
  if (!chain) return std::nullopt;
  SteadyState state{middle->period, {}};
  for (const std::size_t phase : *chain) state.phases.push_back(std::move(phases[phase]));
  return state;
}

}  // namespace spillway
