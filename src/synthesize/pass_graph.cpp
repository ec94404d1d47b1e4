#include "synthesize/pass_graph.h"

#include <algorithm>
#include <utility>

namespace spillway {
namespace {

bool is_of_sequence(const Order& order, const Edge& edge) {
  return edge.kind == EdgeKind::Sequence && order.event(edge.to).computes();
}

// Returns the other end of every kept edge, event by event.
template <class One, class Other>
OrderRows rows_of(const Order& order, One one, Other other) {
  std::vector<std::vector<std::uint32_t>> by_event(order.event_count());
  for (const Edge& edge : order.edges())
    if (!is_of_sequence(order, edge)) by_event[one(edge).index()].push_back(other(edge).index());
  OrderRows rows{{0}, {}};
  for (const auto& row : by_event) {
    rows.event.insert(rows.event.end(), row.begin(), row.end());
    rows.first.push_back(static_cast<std::uint32_t>(rows.event.size()));
  }
  return rows;
}

}  // namespace

PassSequences sequences_of(const Order& order) {
  PassSequences all(order.rank_count());
  for (std::uint32_t rank = 0; rank < order.rank_count(); ++rank)
    for (const EventId id : order.nodes(RankId(rank)))
      if (order.event(id).computes()) all[rank].push_back(id.index());
  return all;
}

Seconds SequencedStep::mean(std::uint32_t replicas) const {
  Seconds sum;
  for (auto draw = last.begin(); draw != last.end(); draw += replicas)
    sum += *std::max_element(draw, draw + replicas);
  return sum / (static_cast<double>(last.size()) / replicas);
}

PassGraph::PassGraph(const Derived& derived)
    : derived_(derived),
      needed_(rows_of(
          derived.order, [](const Edge& e) { return e.to; }, [](const Edge& e) { return e.from; })),
      needed_by_(rows_of(
          derived.order, [](const Edge& e) { return e.from; }, [](const Edge& e) { return e.to; })),
      leaves_at_(derived.order.event_count()) {
  for (std::uint32_t event = 0; event < leaves_at_.size(); ++event) {
    leaves_at_[event] = event;
    if (needed_by_.of(EventId(event)).empty()) sinks_.push_back(event);
  }
  if (derived.point_to_point == PointToPoint::Blocking) find_blocking_transfers();
}

// A pass's transfers run one after the other, so the last of them is behind all others.
void PassGraph::find_blocking_transfers() {
  const Order& order = derived_.order;
  for (std::uint32_t pass = 0; pass < leaves_at_.size(); ++pass) {
    const Event& event = order.event(EventId(pass));
    if (!event.computes()) continue;
    for (const std::uint32_t sent : needed_by_.of(EventId(pass)))
      if (const Event& one = order.event(EventId(sent)); one.transfers() && one.rank == event.rank)
        leaves_at_[pass] = leaves_at_[pass] == pass ? sent : std::max(leaves_at_[pass], sent);
  }
}

// Sets the topological order and, by event, what it waits for on its rank.
bool PassGraph::sort(const PassSequences& sequences, SequencedStep& step) const {
  const auto events = static_cast<std::uint32_t>(leaves_at_.size());
  std::vector<std::uint32_t> missing(events), then(events, kNoPass);
  step.before.assign(events, kNoPass);
  for (std::uint32_t event = 0; event < events; ++event)
    missing[event] = static_cast<std::uint32_t>(needs_of(event).size());
  for (const auto& sequence : sequences)
    for (std::size_t i = 1; i < sequence.size(); ++i) {
      const std::uint32_t left = leaves_at_[sequence[i - 1]];
      step.before[sequence[i]] = left;
      then[left] = sequence[i];
      ++missing[sequence[i]];
    }
  step.order.clear();
  for (std::uint32_t event = 0; event < events; ++event)
    if (missing[event] == 0) step.order.push_back(event);
  const auto done = [&](std::uint32_t event) {
    if (--missing[event] == 0) step.order.push_back(event);
  };
  for (std::size_t at = 0; at < step.order.size(); ++at) {
    const std::uint32_t event = step.order[at];
    for (const std::uint32_t next : needed_by_.of(EventId(event))) done(next);
    if (then[event] != kNoPass) done(then[event]);
  }
  return step.order.size() == events;
}

void PassGraph::set_last(SequencedStep& step) const {
  step.last.assign(step.ends.lanes(), Seconds());
  for (const std::uint32_t event : sinks_)
    for (std::uint32_t lane = 0; lane < step.last.size(); ++lane)
      step.last[lane] = std::max(step.last[lane], step.ends.at(EventId(event), lane));
}

bool PassGraph::run(const PassSequences& sequences, const Durations& durations, SequencedStep& step) const {
  if (!sort(sequences, step)) return false;
  const std::uint32_t lanes = durations.lanes();
  if (step.ends.events() != durations.events() || step.ends.lanes() != lanes)
    step.ends = Durations(durations.events(), lanes);
  Seconds* const all = step.ends.flat().data();
  const Seconds* const takes = durations.flat().data();
  for (const std::uint32_t event : step.order) {
    Seconds* const own = all + std::size_t{event} * lanes;
    std::fill_n(own, lanes, Seconds());
    const auto wait = [&](std::uint32_t other) {
      const Seconds* const end = all + std::size_t{other} * lanes;
      for (std::uint32_t lane = 0; lane < lanes; ++lane) own[lane] = std::max(own[lane], end[lane]);
    };
    for (const std::uint32_t needed : needs_of(event)) wait(needed);
    if (step.before[event] != kNoPass) wait(step.before[event]);
    const std::uint32_t joined = derived_.order.event(EventId(event)).joined_replicas;
    for (std::uint32_t first = 0; joined > 1 && first < lanes; first += joined)
      std::fill_n(own + first, joined, *std::max_element(own + first, own + first + joined));
    for (std::uint32_t lane = 0; lane < lanes; ++lane) own[lane] += takes[std::size_t{event} * lanes + lane];
  }
  set_last(step);
  return true;
}

}  // namespace spillway
