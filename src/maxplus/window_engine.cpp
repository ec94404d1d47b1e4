// Events are numbered topologically, so cutting the numbering gives windows that wait only for earlier ones.
// Each window has a (max,+) matrix from the ends that it waits for to the ends that others wait for:
//
//     |  window 1  |  window 2  |  window 3  |          x(k+1) = A(k) x(k): one matrix-vector product a
//     |  F F F     |  F B F B   |  B B B     |          window; x are ends of events still awaited
//     |        ----+--->    ----+-->         |
//
// x never includes ends inside a window, and the product of the matrices is never formed: the makespan needs
// only their effect on the start of the step.
//
// Window length: a longer window has longer rows, up to the frontier of the order (a few ends per rank); a
// shorter one has more borders. Time depends little on it. Four events per rank are about the work of all
// ranks for one microbatch. Cost: edges x inputs of a window; memory: one time per event and lane.
//
// Lanes that no event of a window joins do not mix in it. They are evaluated separately, each with its own
// matrix.
#include "maxplus/window_engine.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "maxplus/denotation.h"

namespace spillway {
namespace {

constexpr std::size_t kShortestWindow = 32;

// The fewest adjacent lanes that this window's events never join to others.
std::uint32_t coupled_lanes(const Precedence& precedence, std::span<const EventId> window) {
  std::uint32_t lanes = 1;
  for (const EventId event : window) lanes = std::lcm(lanes, precedence.joined(event));
  return lanes;
}

// Ends of events that others wait for, and of the last ones.
class Frontier {
 public:
  Frontier(std::size_t events, std::uint32_t lanes) : ends_(events, lanes) {}

  void advance(const TransferFunction& window) {
    arrivals_.clear();
    for (const Port input : window.inputs()) arrivals_.push_back(ends_.at(input.event, input.lane));
    const std::vector<Seconds> ends = completions(window, arrivals_);
    for (std::size_t o = 0; o < ends.size(); ++o) {
      const Port output = window.outputs()[o];
      ends_.at(output.event, output.lane) = ends[o];
      last_ = std::max(last_, ends[o]);
    }
  }

  Seconds last() const { return last_; }

 private:
  PerEvent<Seconds> ends_;
  std::vector<Seconds> arrivals_;
  Seconds last_;
};

}  // namespace

Seconds max_plus_makespan(const Order& order, const Durations& durations) {
  const Precedence precedence(order);
  std::vector<EventId> events;
  for (std::uint32_t id = 0; id < order.event_count(); ++id) events.emplace_back(id);
  const std::size_t length = std::max(kShortestWindow, std::size_t{4} * order.rank_count());
  Frontier frontier(order.event_count(), durations.lanes());
  for (std::size_t first = 0; first < events.size(); first += length) {
    const auto window = std::span(events).subspan(first, std::min(length, events.size() - first));
    const std::uint32_t coupled = coupled_lanes(precedence, window);
    ensure(durations.lanes() % coupled == 0, "joined replicas divide the lanes");
    for (std::uint32_t lane = 0; lane < durations.lanes(); lane += coupled)
      frontier.advance(denotation(precedence, durations, window, {lane, lane + coupled}));
  }
  return frontier.last();
}

}  // namespace spillway
