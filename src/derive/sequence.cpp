// The order of computing events on each rank.
//
// One run of Sharded regions, transposed input or not: prefix + body + suffix. The body is the skeleton's own
// order, unchanged; the prefix holds the encodes the rank owns, in microbatch order, and fills the warm-up
// bubble; the suffix holds their backwards and fills the cool-down.
//
// A transpose that is not the input (or several runs) cannot be put down by a formula: its events wait for a
// microbatch that is under way. There the rank's order follows the level of each event, the longest path that
// ends in it when every event lasts one unit, in the graph of dependencies plus what the skeletons ask for:
//   - each region's forwards on a rank in microbatch order, and its backwards;
//   - one run: the skeleton's order of it;
//   - several runs of 1f1b: microbatch m+P enters when the backward of m has left, so that a stage holds no
//     more than the P microbatches that 1F1B would hold; a gpipe run: all its forwards on a rank, then its
//     backwards.
// What is frozen is left out of the order and does not change it: see Assembly::sequences.
// Orders by level are acyclic: every edge raises the level or joins two events of one rank in the order
// chosen here.
#include <algorithm>

#include "derive/assemble.h"
#include "derive/stages.h"
#include "schedule/skeleton.h"

namespace spillway {
namespace {

using Sequences = std::vector<std::vector<std::uint32_t>>;

class Sequencer {
 public:
  Sequencer(const Plan& plan, const ComputeEvents& events)
      : plan_(plan), events_(events), runs_(sharded_runs(plan.schedule)), owned_(owned_by_rank()) {}

  Sequences by_formula() const {
    Sequences sequences(plan_.ranks());
    for (std::uint32_t rank = 0; rank < plan_.ranks(); ++rank) {
      append_owned(sequences[rank], rank, Action::Forward);
      append_body(sequences[rank], rank);
      append_owned(sequences[rank], rank, Action::Backward);
    }
    return sequences;
  }

  // Contract: every region runs a backward.
  Sequences by_level(const OrderBuilder& dependencies) const {
    OrderBuilder wanted = dependencies;
    for (std::uint32_t rank = 0; rank < plan_.ranks(); ++rank) {
      for (const auto& chain : chains(rank)) link(wanted, chain);
    }
    if (runs_.size() > 1) limit_entry(wanted);
    auto levels = wanted.levels();
    ensure(std::holds_alternative<std::vector<std::uint32_t>>(levels), "skeletons ask for an acyclic order");
    return sorted_by(std::get<std::vector<std::uint32_t>>(levels), dependencies.events());
  }

 private:
  // Microbatches of the transposed input region that each rank owns.
  std::vector<std::vector<std::uint32_t>> owned_by_rank() const {
    std::vector<std::vector<std::uint32_t>> owned(plan_.ranks());
    if (!plan_.replicated(0)) return owned;
    for (std::uint32_t m = 0; m < plan_.microbatches(); ++m) owned[plan_.entry_rank(0, m)].push_back(m);
    return owned;
  }

  std::uint32_t event_of(std::size_t region, std::uint32_t rank, Action direction, std::uint32_t m) const {
    return direction == Action::Forward ? events_.forward(region, rank, m)
                                        : events_.backward(region, rank, m);
  }

  void append_owned(std::vector<std::uint32_t>& sequence, std::uint32_t rank, Action direction) const {
    for (std::uint32_t m : owned_[rank]) {
      const std::uint32_t event = event_of(0, rank, direction, m);
      if (event != kNoEvent) sequence.push_back(event);
    }
  }

  void append_body(std::vector<std::uint32_t>& sequence, std::uint32_t rank) const {
    for (const ShardedRun& run : runs_) {
      const std::vector<RankOrder> orders = rank_orders(run.skeleton, run_shape(run, plan_.options));
      for (const Slot& slot : orders[rank]) {
        const std::uint32_t event =
            event_of(run.first + slot.chunk, rank, slot.action, slot.microbatch.index());
        if (event != kNoEvent) sequence.push_back(event);
      }
    }
  }

  // What the skeletons ask for on one rank, as lists that must keep their order.
  Sequences chains(std::uint32_t rank) const {
    Sequences wanted;
    if (runs_.size() == 1) {
      append_body(wanted.emplace_back(), rank);
    } else {
      for (const ShardedRun& run : runs_) append_region_chains(wanted, run, rank);
    }
    for (std::size_t region = 1; region < plan_.regions(); ++region) {
      if (plan_.replicated(region)) append_transpose_chains(wanted, region, rank);
    }
    if (plan_.replicated(0)) enclose(wanted, rank);
    return wanted;
  }

  void append_region_chains(Sequences& wanted, const ShardedRun& run, std::uint32_t rank) const {
    for (std::size_t region = run.first; region < run.end; ++region) {
      std::vector<std::uint32_t> forwards, backwards;
      for (std::uint32_t m = 0; m < plan_.microbatches(); ++m) {
        forwards.push_back(events_.forward(region, rank, m));
        backwards.push_back(events_.backward(region, rank, m));
      }
      if (run.skeleton == SkeletonKind::GPipe) {
        forwards.insert(forwards.end(), backwards.begin(), backwards.end());
        backwards.clear();
      }
      wanted.push_back(std::move(forwards));
      wanted.push_back(std::move(backwards));
    }
  }

  void append_transpose_chains(Sequences& wanted, std::size_t region, std::uint32_t rank) const {
    std::vector<std::uint32_t> forwards, backwards;
    for (std::uint32_t m = 0; m < plan_.microbatches(); ++m) {
      if (plan_.entry_rank(region, m) != rank) continue;
      forwards.push_back(events_.forward(region, rank, m));
      backwards.push_back(events_.backward(region, rank, m));
    }
    wanted.push_back(std::move(forwards));
    wanted.push_back(std::move(backwards));
  }

  // The transposed input's forwards before everything else on the rank, its backwards after.
  void enclose(Sequences& wanted, std::uint32_t rank) const {
    std::vector<std::uint32_t> prefix, suffix;
    append_owned(prefix, rank, Action::Forward);
    append_owned(suffix, rank, Action::Backward);
    for (auto& chain : wanted) {
      chain.insert(chain.begin(), prefix.begin(), prefix.end());
      chain.insert(chain.end(), suffix.begin(), suffix.end());
    }
  }

  static void link(OrderBuilder& wanted, const std::vector<std::uint32_t>& chain) {
    for (std::size_t i = 0; i + 1 < chain.size(); ++i)
      wanted.edge(chain[i], chain[i + 1], EdgeKind::Sequence);
  }

  void limit_entry(OrderBuilder& wanted) const {
    const auto is_gpipe = [](const ShardedRun& run) { return run.skeleton == SkeletonKind::GPipe; };
    if (std::any_of(runs_.begin(), runs_.end(), is_gpipe)) return;
    const std::size_t first = runs_.front().first;
    for (std::uint32_t m = plan_.ranks(); m < plan_.microbatches(); ++m) {
      wanted.edge(events_.backward(first, 0, m - plan_.ranks()), events_.forward(first, 0, m),
                  EdgeKind::Sequence);
    }
  }

  Sequences sorted_by(const std::vector<std::uint32_t>& level, std::span<const Event> events) const {
    const std::vector<std::uint32_t> place = place_by_level(level);
    std::vector<std::uint32_t> event_at(place.size());
    for (std::uint32_t event = 0; event < place.size(); ++event) event_at[place[event]] = event;
    Sequences sequences(plan_.ranks());
    for (std::uint32_t event : event_at) {
      if (events[event].computes()) sequences[events[event].rank.index()].push_back(event);
    }
    return sequences;
  }

  const Plan& plan_;
  const ComputeEvents& events_;
  std::vector<ShardedRun> runs_;
  std::vector<std::vector<std::uint32_t>> owned_;
};

}  // namespace

bool formula_suffices(const Plan& plan) {
  const std::size_t transposes = plan.regions() - sharded_regions(plan.schedule).size();
  return sharded_runs(plan.schedule).size() <= 1 && transposes == (plan.replicated(0) ? 1 : 0);
}

std::vector<std::vector<std::uint32_t>> rank_sequences(const Plan& plan, const ComputeEvents& events,
                                                       const OrderBuilder& dependencies) {
  const Sequencer sequencer(plan, events);
  return formula_suffices(plan) ? sequencer.by_formula() : sequencer.by_level(dependencies);
}

}  // namespace spillway
