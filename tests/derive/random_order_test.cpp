// Checks laws of every derived order over random valid inputs: the events (Lemma 1), the dependencies
// (section 3.1, rebuilt here as the walk of one microbatch), one computing event at a time on each rank, and
// the skeletons' own orders.
#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "schedule/skeleton.h"
#include "support/order_text.h"
#include "support/property.h"
#include "support/random_derivation.h"

namespace spillway::testing {
namespace {

bool replicated(const Derived& derived, std::size_t region) {
  return derived.placement[region].layout == Layout::Replicated;
}

// The number of transposed regions at the beginning, each of which feeds the region behind the last of them.
std::size_t inputs(const Derived& derived) {
  std::size_t count = 0;
  while (count < derived.regions.size() && replicated(derived, count)) ++count;
  return count;
}

bool any_trainable(const Derived& derived, std::size_t end) {
  return std::any_of(derived.regions.begin(), derived.regions.begin() + static_cast<std::ptrdiff_t>(end),
                     [](const Region& region) { return region.trainable; });
}

// Lemma 1 as the paper writes it: some region i <= j is trainable. No input is before another one.
bool runs_backwards(const Derived& derived, std::size_t region) {
  return region < inputs(derived) ? derived.regions[region].trainable : any_trainable(derived, region + 1);
}

std::uint32_t owner_of(const Derived& derived, std::size_t region, std::uint32_t m) {
  return std::get<ByMicrobatch>(derived.placement[region].owner).owner[m].index();
}

// Returns the (region, rank) stages that microbatch m passes through on its way to the loss.
using Visit = std::pair<std::size_t, std::uint32_t>;
std::vector<Visit> walk(const Derived& derived, std::uint32_t m) {
  std::vector<Visit> visits;
  for (std::size_t region = 0; region < derived.regions.size(); ++region) {
    if (replicated(derived, region)) {
      visits.emplace_back(region, owner_of(derived, region, m));
    } else {
      for (std::uint32_t rank = 0; rank < derived.pipeline.ranks; ++rank) visits.emplace_back(region, rank);
    }
  }
  return visits;
}

// Builds the order's dependencies from the paper's chain, in its notation.
class Chain {
 public:
  explicit Chain(const Derived& derived) : derived_(derived) {}

  std::vector<std::string> edges() && {
    for (std::uint32_t m = 0; m < derived_.pipeline.microbatches; ++m) add_microbatch(m);
    add_reduces();
    if (!any_trainable(derived_, derived_.regions.size())) {
      for (std::uint32_t m = 0; m < derived_.pipeline.microbatches; ++m)
        arc(loss(m), "Sequence", "StepBarrier");
    }
    return sorted(std::move(edges_));
  }

 private:
  std::string compute(const char* kind, Visit at, std::uint32_t m) const {
    return std::string(kind) + '(' + derived_.regions[at.first].name + ',' + std::to_string(at.second) + ',' +
           std::to_string(m + 1) + ')';
  }
  static std::string loss(std::uint32_t m) { return "Loss(" + std::to_string(m + 1) + ')'; }

  // Table 2: inside a region a hop names its two stages, sender first; at a seam the two regions, input
  // first.
  std::string hop(Visit from, Visit to, std::uint32_t m) const {
    const std::string end = ',' + std::to_string(m + 1) + ')';
    const bool forward = from < to;
    const std::string plain = forward ? "Coll(Send," : "Coll(RecvGrad,";
    if (from.first == to.first) {
      return plain + derived_.regions[from.first].name + ':' + std::to_string(from.second) + '-' +
             std::to_string(to.second) + end;
    }
    const auto [low, high] = std::minmax(from.first, to.first);
    const std::string seam = derived_.regions[low].name + '-' + derived_.regions[high].name + end;
    if (!replicated(derived_, low) && !replicated(derived_, high)) return plain + seam;
    return (replicated(derived_, from.first) ? "Coll(Gather," : "Coll(Scatter,") + seam;
  }

  void arc(const std::string& from, const std::string& kind, const std::string& to) {
    edges_.push_back(from + " -" + kind + "-> " + to);
  }

  void add_microbatch(std::uint32_t m) {
    const std::vector<Visit> visits = walk(derived_, m);
    const std::size_t towers = inputs(derived_);
    for (std::size_t i = 0; i + 1 < visits.size(); ++i) {
      const Visit to = visits[std::max(i + 1, towers)];
      arc(compute("Fwd", visits[i], m), "Activation", hop(visits[i], to, m));
      arc(hop(visits[i], to, m), "Activation", compute("Fwd", to, m));
      if (!runs_backwards(derived_, visits[i].first)) continue;
      arc(compute("Bwd", to, m), "Gradient", hop(to, visits[i], m));
      arc(hop(to, visits[i], m), "Gradient", compute("Bwd", visits[i], m));
    }
    arc(compute("Fwd", visits.back(), m), "Activation", loss(m));
    if (!any_trainable(derived_, derived_.regions.size())) return;
    arc(loss(m), "Turnaround", compute("Bwd", visits.back(), m));
    for (Visit at : visits) {
      if (!runs_backwards(derived_, at.first)) continue;
      if (replicated(derived_, at.first)) arc(compute("Fwd", at, m), "Activation", compute("Bwd", at, m));
      if (derived_.regions[at.first].trainable) arc(compute("Bwd", at, m), "Accumulate", reduce(at));
    }
  }

  // The name includes the rank if the region has several stages.
  std::string reduce(Visit at) const {
    const std::string region = "DpReduce(" + derived_.regions[at.first].name;
    if (replicated(derived_, at.first)) return region + ",ReplicaGroup)";
    return region + (derived_.pipeline.ranks > 1 ? ':' + std::to_string(at.second) : "") + ",DataGroup)";
  }

  void add_reduces() {
    for (std::size_t region = 0; region < derived_.regions.size(); ++region) {
      if (!derived_.regions[region].trainable) continue;
      const std::uint32_t copies = replicated(derived_, region) ? 1 : derived_.pipeline.ranks;
      for (std::uint32_t rank = 0; rank < copies; ++rank)
        arc(reduce({region, rank}), "Sequence", "StepBarrier");
    }
  }

  const Derived& derived_;
  std::vector<std::string> edges_;
};

// Returns the edges without those that chain a rank's computing events. Such an edge starts at a computing
// event or at a transfer that keeps its sender busy. It may lead to the sender's next transfer.
std::vector<std::string> dependency_lines(const Derived& derived) {
  std::vector<std::string> lines;
  for (const std::string& line : edge_lines(derived)) {
    const bool chains = line.find(" -Sequence-> Fwd(") != line.npos ||
                        line.find(" -Sequence-> Bwd(") != line.npos ||
                        line.find(" -Sequence-> Coll(") != line.npos;
    if (!chains) lines.push_back(line);
  }
  return sorted(std::move(lines));
}

RC_GTEST_PROP(RandomOrder, InputsAreValid, ()) {
  const RandomDerivation random = *random_derivation();
  RC_ASSERT(check_derive(Model(random.blocks), random.schedule, random.cut, random.options).empty());
}

RC_GTEST_PROP(RandomOrder, DependenciesAreThePapersChain, ()) {
  const RandomDerivation random = *random_derivation();
  const Derived derived = random.derived();
  RC_ASSERT(dependency_lines(derived) == Chain(derived).edges());
}

RC_GTEST_PROP(RandomOrder, EveryStageRunsEachMicrobatchOncePerDirection, ()) {
  const RandomDerivation random = *random_derivation();
  const Derived derived = random.derived();
  std::multiset<std::tuple<EventKind, StageId, MicrobatchId>> found, expected;
  for (const Event& event : derived.order.events()) {
    if (event.computes()) found.emplace(event.kind, event.stage, event.microbatch);
  }
  for (std::uint32_t m = 0; m < derived.pipeline.microbatches; ++m) {
    for (const auto& [region, rank] : walk(derived, m)) {
      const StageId stage(rank + static_cast<std::uint32_t>(region) * derived.pipeline.ranks);
      expected.emplace(EventKind::Forward, stage, MicrobatchId(m));
      if (runs_backwards(derived, region)) expected.emplace(EventKind::Backward, stage, MicrobatchId(m));
    }
  }
  RC_ASSERT(found == expected);
}

RC_GTEST_PROP(RandomOrder, IdsAreTopologicalAndTheBarrierIsTheOnlyEnd, ()) {
  const RandomDerivation random = *random_derivation();
  const Derived derived = random.derived();
  const Order& order = derived.order;
  for (const Edge& edge : order.edges()) RC_ASSERT(edge.from < edge.to);
  for (std::uint32_t id = 0; id < order.event_count(); ++id) {
    const bool barrier = order.event(EventId(id)).kind == EventKind::StepBarrier;
    RC_ASSERT(order.successors(EventId(id)).empty() == barrier);
    if (order.predecessors(EventId(id)).empty()) {
      RC_ASSERT(order.event(EventId(id)).kind == EventKind::Forward);
      RC_ASSERT(order.event(EventId(id)).stage.index() <
                order.rank_count() * std::max<std::size_t>(inputs(derived), 1));
    }
  }
}

// Returns the last transfer from `id` to another rank, if there is one.
std::optional<EventId> sent_away(const Order& order, EventId id) {
  std::optional<EventId> last;
  for (std::uint32_t successor : order.successors(id)) {
    const Event& event = order.event(EventId(successor));
    if (event.kind == EventKind::Collective && event.rank != event.peer_rank)
      last = std::max(last.value_or(EventId(successor)), EventId(successor));
  }
  return last;
}

RC_GTEST_PROP(RandomOrder, ARankComputesOneEventAfterTheOther, ()) {
  const RandomDerivation random = *random_derivation();
  const Derived derived = random.derived();
  std::set<std::pair<EventId, EventId>> found, expected;
  for (const Edge& edge : derived.order.edges()) {
    if (edge.kind == EdgeKind::Sequence && derived.order.event(edge.to).computes())
      found.emplace(edge.from, edge.to);
  }
  for (std::uint32_t rank = 0; rank < derived.pipeline.ranks; ++rank) {
    const std::vector<EventId> ids = computing(derived, RankId(rank));
    for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
      const auto transfer = sent_away(derived.order, ids[i]);
      const bool occupied = derived.point_to_point == PointToPoint::Blocking && transfer;
      expected.emplace(occupied ? *transfer : ids[i], ids[i + 1]);
    }
  }
  RC_ASSERT(found == expected);
}

// Returns (direction, chunk of the run, microbatch) of each pass of the rank in the regions [first, end).
using Step = std::tuple<Action, std::size_t, std::uint32_t>;
std::vector<Step> steps(const Derived& derived, std::uint32_t rank, std::size_t first, std::size_t end) {
  std::vector<Step> steps;
  for (EventId id : computing(derived, RankId(rank))) {
    const Event& event = derived.order.event(id);
    const std::size_t region = derived.stage(event.stage).region.index();
    if (region < first || region >= end) continue;
    steps.emplace_back(event.kind == EventKind::Forward ? Action::Forward : Action::Backward, region - first,
                       event.microbatch.index());
  }
  return steps;
}

bool transposes_behind_the_input(const Derived& derived) {
  for (std::size_t region = inputs(derived); region < derived.regions.size(); ++region)
    if (replicated(derived, region)) return true;
  return false;
}

// Stripping the transposed input from a rank leaves the skeleton's body, exactly.
RC_GTEST_PROP(RandomOrder, ASingleRunKeepsItsSkeletonsOrder, ()) {
  const RandomDerivation random = *random_derivation();
  const Derived derived = random.derived();
  const std::vector<ShardedRun> runs = sharded_runs(derived.schedule);
  RC_PRE(runs.size() == 1U && !transposes_behind_the_input(derived));
  const ShardedRun run = runs[0];
  const std::uint32_t p = derived.pipeline.ranks, given = random.options.microbatch_group;
  const RunShape shape{p, derived.pipeline.microbatches, static_cast<std::uint32_t>(run.end - run.first),
                       given == 0 ? p : given};
  for (std::uint32_t rank = 0; rank < p; ++rank) {
    std::vector<Step> body;
    const std::vector<RankOrder> orders = rank_orders(run.skeleton, shape);
    for (const Slot& slot : orders[rank]) {
      if (slot.action == Action::Forward || any_trainable(derived, run.first + slot.chunk + 1)) {
        body.emplace_back(slot.action, slot.chunk, slot.microbatch.index());
      }
    }
    RC_ASSERT(steps(derived, rank, run.first, run.end) == body);
  }
}

// Transposed inputs enclose the rest: their forwards run before all else, their backwards after, both in
// microbatch order. Those of one microbatch are in the order of the inputs, and in reverse.
RC_GTEST_PROP(RandomOrder, TransposedInputsEncloseTheRest, ()) {
  const RandomDerivation random = *random_derivation();
  const Derived derived = random.derived();
  const std::size_t towers = inputs(derived);
  RC_PRE(towers > 0);
  for (std::uint32_t rank = 0; rank < derived.pipeline.ranks; ++rank) {
    std::vector<Step> expected;
    for (Action direction : {Action::Forward, Action::Backward}) {
      if (direction == Action::Backward) {
        const auto rest = steps(derived, rank, towers, derived.regions.size());
        expected.insert(expected.end(), rest.size(), Step(direction, 99, 0));
      }
      for (std::uint32_t m = 0; m < derived.pipeline.microbatches; ++m) {
        for (std::size_t i = 0; i < towers; ++i) {
          const std::size_t tower = direction == Action::Forward ? i : towers - 1 - i;
          const bool runs = direction == Action::Forward || derived.regions[tower].trainable;
          if (runs && owner_of(derived, tower, m) == rank) expected.emplace_back(direction, tower, m);
        }
      }
    }
    std::vector<Step> found = steps(derived, rank, 0, derived.regions.size());
    for (Step& step : found) {
      if (std::get<1>(step) >= towers) step = Step(Action::Backward, 99, 0);
    }
    RC_ASSERT(found == expected);
  }
}

RC_GTEST_PROP(RandomOrder, EveryRegionTakesMicrobatchesInOrderOnEachRank, ()) {
  const RandomDerivation random = *random_derivation();
  const Derived derived = random.derived();
  for (std::uint32_t rank = 0; rank < derived.pipeline.ranks; ++rank) {
    for (std::size_t region = 0; region < derived.regions.size(); ++region) {
      std::vector<std::uint32_t> forwards, backwards;
      for (const auto& [direction, chunk, m] : steps(derived, rank, region, region + 1)) {
        (direction == Action::Forward ? forwards : backwards).push_back(m);
      }
      RC_ASSERT(std::is_sorted(forwards.begin(), forwards.end()));
      RC_ASSERT(std::is_sorted(backwards.begin(), backwards.end()));
    }
  }
}

RC_GTEST_PROP(RandomOrder, GPipeRunsAllForwardsFirst, ()) {
  const RandomDerivation random = *random_derivation();
  const Derived derived = random.derived();
  for (const ShardedRun& run : sharded_runs(derived.schedule)) {
    if (run.skeleton != SkeletonKind::GPipe) continue;
    for (std::uint32_t rank = 0; rank < derived.pipeline.ranks; ++rank) {
      const std::vector<Step> own = steps(derived, rank, run.first, run.end);
      RC_ASSERT(std::is_sorted(own.begin(), own.end(), [](const Step& a, const Step& b) {
        return std::get<Action>(a) < std::get<Action>(b);
      }));
    }
  }
}

RC_GTEST_PROP(RandomOrder, BehindATransposeAStageOfOneFOneBHoldsAtMostTwicePMicrobatches, ()) {
  const RandomDerivation random = *random_derivation();
  const Derived derived = random.derived();
  const std::vector<ShardedRun> runs = sharded_runs(derived.schedule);
  RC_PRE(!runs.empty() && transposes_behind_the_input(derived));
  RC_PRE(random.options.inner == InnerOrder::Listed);
  for (const ShardedRun& run : runs) {
    if (run.skeleton != SkeletonKind::OneFOneB) return;
  }
  for (std::uint32_t rank = 0; rank < derived.pipeline.ranks; ++rank) {
    for (std::size_t region = inputs(derived); region < derived.regions.size(); ++region) {
      if (!any_trainable(derived, region + 1)) continue;
      std::int64_t live = 0;
      for (const Step& step : steps(derived, rank, region, region + 1)) {
        live += std::get<Action>(step) == Action::Forward ? 1 : -1;
        RC_ASSERT(live <= 2 * derived.pipeline.ranks);
      }
    }
  }
}

}  // namespace
}  // namespace spillway::testing
