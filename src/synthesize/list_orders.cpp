#include "synthesize/list_orders.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "schedule/list_schedule.h"

namespace spillway {
namespace {

const Event& event_of(const PassGraph& graph, const PassNeeds& needs, std::size_t pass) {
  return graph.derived().order.event(EventId(needs.event[pass]));
}

std::vector<std::uint64_t> priorities(const PassGraph& graph, const PassNeeds& needs, PassRule rule) {
  std::vector<std::pair<double, double>> keys;
  for (std::size_t pass = 0; pass < needs.event.size(); ++pass) {
    const Event& event = event_of(graph, needs, pass);
    const double age = event.microbatch.index(), tail = -needs.tail[pass].value();
    const double weight = event.kind == EventKind::BackwardWeight ? 2 : 0;
    switch (rule) {
      case PassRule::LongestTail:
        keys.emplace_back(tail, age);
        break;
      case PassRule::BackwardFirst:
        keys.emplace_back(weight + (event.kind == EventKind::Forward ? 1 : 0), age);
        break;
      case PassRule::OldestFirst:
        keys.emplace_back(weight > 0 ? std::numeric_limits<double>::max() : age, tail);
        break;
      case PassRule::ForwardFirst:
        keys.emplace_back(weight + (event.kind == EventKind::Forward ? 0 : 1), age);
        break;
      case PassRule::WeightFirst:
        keys.emplace_back(weight > 0 ? 0 : event.kind == EventKind::Forward ? 2 : 1, age);
        break;
    }
  }
  std::vector<std::uint32_t> by_key(keys.size());
  std::iota(by_key.begin(), by_key.end(), 0U);
  std::ranges::stable_sort(by_key, {}, [&](std::uint32_t pass) { return keys[pass]; });
  std::vector<std::uint64_t> priority(keys.size());
  for (std::size_t place = 0; place < by_key.size(); ++place) priority[by_key[place]] = place;
  return priority;
}

// Passes of the first pipelined stage of each rank: the forward and the backward of each microbatch.
struct EntryPasses {
  std::map<std::uint32_t, std::uint32_t> forward, backward;  // by microbatch
};

std::vector<EntryPasses> entries(const PassGraph& graph, const PassNeeds& needs) {
  const Derived& derived = graph.derived();
  std::vector<std::optional<StageId>> first(derived.pipeline.ranks);
  for (std::uint32_t id = 0; id < derived.stages.size(); ++id) {
    if (derived.is_input(StageId(id))) continue;
    std::optional<StageId>& known = first[derived.stages[id].rank.index()];
    if (!known || derived.stages[id].layers.first < derived.stage(*known).layers.first) known = StageId(id);
  }
  std::vector<EntryPasses> all(first.size());
  for (std::uint32_t pass = 0; pass < needs.event.size(); ++pass) {
    const Event& event = event_of(graph, needs, pass);
    EntryPasses& own = all[event.rank.index()];
    if (event.stage != first[event.rank.index()] || event.kind == EventKind::BackwardWeight) continue;
    (event.runs_forward() ? own.forward : own.backward)[event.microbatch.index()] = pass;
  }
  return all;
}

// Holds the forward of microbatch m + limit back until the backward of m has run.
void limit_in_flight(const PassGraph& graph, const PassNeeds& needs, const ListRule& rule,
                     std::vector<std::vector<std::uint32_t>>& after) {
  if (rule.in_flight == 0) return;
  const std::vector<EntryPasses> all = entries(graph, needs);
  for (std::uint32_t rank = 0; rank < all.size(); ++rank) {
    const std::uint32_t less = rule.falling ? std::min(rank, rule.in_flight - 1) : 0;
    for (const auto& [m, backward] : all[rank].backward)
      if (const auto held = all[rank].forward.find(m + rule.in_flight - less);
          held != all[rank].forward.end())
        after[held->second].push_back(backward);
  }
}

// The mean delay of needs between ranks stands for each of them.
Seconds mean_transfer(const PassNeeds& needs) {
  double delays = 0, transfers = 0;
  for (std::size_t pass = 0; pass < needs.needs.size(); ++pass)
    for (const PassNeed& need : needs.needs[pass])
      if (needs.rank[need.pass] != needs.rank[pass]) delays += need.delay.value(), ++transfers;
  return transfers > 0 ? Seconds(delays / transfers) : Seconds();
}

Tasks tasks_of(const PassNeeds& needs, std::vector<std::uint64_t> priority,
               const std::vector<std::vector<std::uint32_t>>& after) {
  Tasks tasks{needs.rank, needs.duration, std::move(priority), {}, mean_transfer(needs)};
  for (const auto& row : after) tasks.after.add(row);
  return tasks;
}

PassSequences scheduled(const PassGraph& graph, const PassNeeds& needs, std::vector<std::uint64_t> priority,
                        const std::vector<std::vector<std::uint32_t>>& after, double share) {
  Tasks tasks = tasks_of(needs, std::move(priority), after);
  tasks.room = needs.room;
  for (Bytes& room : tasks.room.of_rank) room = room * share;
  PassSequences sequences = list_schedule(tasks, graph.derived().pipeline.ranks);
  for (auto& sequence : sequences)
    for (std::uint32_t& pass : sequence) pass = needs.event[pass];
  return sequences;
}

std::vector<std::vector<std::uint32_t>> needed(const PassNeeds& needs) {
  std::vector<std::vector<std::uint32_t>> after(needs.needs.size());
  for (std::size_t pass = 0; pass < after.size(); ++pass)
    for (const PassNeed& need : needs.needs[pass]) after[pass].push_back(need.pass);
  return after;
}

}  // namespace

std::vector<ListRule> list_rules(std::uint32_t ranks, std::uint32_t microbatches, std::uint32_t chunks) {
  std::vector<ListRule> limits = {{PassRule::LongestTail}};
  for (const std::uint32_t in_flight : {ranks, ranks + chunks - 1, ranks * 2, (ranks + 1) / 2, 1U})
    for (const bool falling : {true, false})
      if (in_flight < microbatches) limits.push_back({PassRule::LongestTail, in_flight, falling});
  std::vector<ListRule> all;
  for (ListRule one : limits)
    for (const PassRule rule : {PassRule::LongestTail, PassRule::BackwardFirst, PassRule::OldestFirst,
                                PassRule::ForwardFirst, PassRule::WeightFirst}) {
      one.rule = rule;
      all.push_back(one);
    }
  return all;
}

PassSequences list_order(const PassGraph& graph, const PassNeeds& needs, const ListRule& rule, double share) {
  auto after = needed(needs);
  limit_in_flight(graph, needs, rule, after);
  return scheduled(graph, needs, priorities(graph, needs, rule.rule), after, share);
}

PassSequences list_order(const PassGraph& graph, const PassNeeds& needs, std::vector<std::uint64_t> priority,
                         double share) {
  return scheduled(graph, needs, std::move(priority), needed(needs), share);
}

std::vector<double> backward_places(const PassGraph& graph, const PassNeeds& needs,
                                    std::vector<std::uint64_t> priority) {
  std::vector<std::vector<std::uint32_t>> after(needs.needs.size());
  for (std::uint32_t pass = 0; pass < after.size(); ++pass)
    for (const PassNeed& need : needs.needs[pass]) after[need.pass].push_back(pass);
  const std::vector<std::uint32_t> order =
      start_order(tasks_of(needs, std::move(priority), after), graph.derived().pipeline.ranks);
  std::vector<double> places(order.size());
  for (std::size_t place = 0; place < order.size(); ++place)
    places[order[place]] = static_cast<double>(order.size() - 1 - place);
  return places;
}

}  // namespace spillway
