// A transposed last region in turns. The body runs as if the last region took no time. When the P
// microbatches of a turn have reached the body's end, all ranks stop, and each runs one of them in the last
// region:
//
//   rank 0  F1 F2 F3 F4 | G2 G2' | B1 F5 B2 F6 | ...      P = 2: each rank stops before its own next slot,
//   rank 1  . F1 F2 F3  | G1 G1' | B1 F4 ...              and the body's order does not change
//
// A pass that begins before the stop on one rank never waits for one that begins after it on another. So a
// stop costs the turn's duration and changes nothing else: the step is the body's plus 1/P of the last
// region's work, for any body. The price is memory: a turn's backwards wait until its last forward has
// arrived, so forwards run up to P - 1 microbatches ahead of the skeleton's order (kept_body.cpp).
//
// A simulated run of the body with expected times finds the place of each turn on each rank. Turns run on a
// separate virtual rank, one transfer after the last forward and one before the first backward. The order is
// that of starts in this run, so it is acyclic.
#include <algorithm>

#include "derive/body_times.h"
#include "derive/sequence.h"
#include "schedule/list_schedule.h"

namespace spillway {
namespace {

// Nodes are the events by their indices, followed by the turns.
class TurnTasks {
 public:
  TurnTasks(const OrderParts& parts, const ComputeEvents& events, std::span<const Event> all,
            const Waits& waits)
      : parts_(parts),
        events_(events),
        all_(all),
        turns_((parts.microbatches() + parts.ranks() - 1) / parts.ranks()),
        after_(all.size() + turns_) {
    for (const auto& [from, to] : waits)
      if (in_body(from) && in_body(to)) after_[to].push_back(from);
    for (const auto& sequence : sequences_by_skeleton(parts, events))
      for (std::size_t i = 0; i + 1 < sequence.size(); ++i) after_[sequence[i + 1]].push_back(sequence[i]);
    for (std::uint32_t m = 0; m < parts.microbatches(); ++m) turn_around(m);
  }

  Sequences in_order() const {
    std::vector<std::uint32_t> nodes, task_of(after_.size());
    for (std::uint32_t node = 0; node < after_.size(); ++node) {
      if (!is_turn(node) && !in_body(node)) continue;
      task_of[node] = static_cast<std::uint32_t>(nodes.size());
      nodes.push_back(node);
    }
    const BodyTimes times(parts_);
    Tasks tasks;
    tasks.transfer = times.transfer();
    for (std::uint32_t node : nodes) {
      tasks.rank.push_back(is_turn(node) ? RankId(parts_.ranks()) : all_[node].rank);
      tasks.duration.push_back(is_turn(node) ? Seconds() : times.of(all_[node]));
      tasks.priority.push_back(0);
      std::vector<std::uint32_t> after;
      for (std::uint32_t before : after_[node]) after.push_back(task_of[before]);
      tasks.after.add(after);
    }
    Sequences sequences(parts_.ranks());
    for (std::uint32_t task : start_order(tasks, parts_.ranks() + 1)) append(nodes[task], sequences);
    return sequences;
  }

 private:
  std::size_t last_region() const { return parts_.regions() - 1; }
  bool is_turn(std::uint32_t node) const { return node >= all_.size(); }

  bool in_body(std::uint32_t event) const {
    if (!all_[event].computes()) return false;
    const std::size_t region = parts_.stage(all_[event].stage).region.index();
    return region >= parts_.inputs() && region < last_region();
  }

  // Connects the last forward of the body, through the microbatch's turn, to the first backward.
  void turn_around(std::uint32_t m) {
    const auto turn = static_cast<std::uint32_t>(all_.size()) + m / parts_.ranks();
    const StageId exit = parts_.paths.of(last_region() - 1, m).back();
    after_[turn].push_back(events_.forward(exit, m));
    after_[events_.backward(exit, m)].push_back(turn);
  }

  void append(std::uint32_t node, Sequences& sequences) const {
    if (!is_turn(node)) return sequences[all_[node].rank.index()].push_back(node);
    const auto turn = node - static_cast<std::uint32_t>(all_.size());
    const std::uint32_t first = turn * parts_.ranks();
    for (std::uint32_t m = first; m < std::min(first + parts_.ranks(), parts_.microbatches()); ++m) {
      const StageId own = parts_.paths.of(last_region(), m).front();
      auto& sequence = sequences[parts_.stage(own).rank.index()];
      sequence.push_back(events_.forward(own, m));
      sequence.push_back(events_.backward(own, m));
    }
  }

  const OrderParts& parts_;
  const ComputeEvents& events_;
  std::span<const Event> all_;
  std::uint32_t turns_;
  std::vector<std::vector<std::uint32_t>> after_;  // by node
};

}  // namespace

Sequences sequences_in_turns(const OrderParts& parts, const ComputeEvents& events, std::span<const Event> all,
                             const Waits& waits) {
  return TurnTasks(parts, events, all, waits).in_order();
}

}  // namespace spillway
