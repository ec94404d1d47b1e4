// Encodes in bubbles. The body is run on expected times with only those encodes that stand before it; what it
// leaves idle on each rank are the gaps:
//
//   rank 0  e1 | F1 F2 F3 F4 .  .  B1 F5 B2 ...      P = 2. A gap ends where the body goes on; an encode in
//   it rank 1  e2 | .  F1 F2 F3 B1 F4 B2 ...            has to end before its microbatch enters the body
//              ^ e3 fits
//
// Encodes in the order of their deadlines take the earliest room there is: of equal encodes no choice places
// more. Times in the plan are never zero (kLeast), so that what follows also begins later, and an order of
// beginnings waits for nothing but earlier beginnings: no plan waits for itself. Body passes of the draws
// take what they take; a gap that turns out shorter delays what is behind it, as it would on the machine.
// Source: Optimus (ATC 2025), section 4.2; Kimi K3, technical report, section 5.2.3. Tests:
// tests/evaluate/input_gaps_test.cpp.
#include "policy/input_gaps.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "policy/plan.h"
#include "timing/longest_path.h"

namespace spillway {
namespace {

// Of the longest expected pass: what every pass takes at least.
constexpr double kLeast = 1e-9;

struct Gap {
  std::uint32_t rank;
  std::uint32_t before;  // which event of the body ends it
  Seconds from;          // what is placed in it moves this on
  Seconds to;
};

// What is planned with: means over draws and replicas.
struct ExpectedStep {
  std::vector<Seconds> encode, backward;  // of the input, by microbatch
  Seconds gather, scatter;                // the longest
};

// A pass that is placed, and when it is to begin.
struct Begin {
  PlacedPass pass;
  Seconds at;
};

class GapPlanner {
 public:
  GapPlanner(const OwnerRequest& request, const std::function<Derived(const OwnerMap&)>& derive_with)
      : request_(request), derive_with_(derive_with) {}

  InputPlan plan() {
    const std::uint32_t ranks = pipeline().ranks, microbatches = pipeline().microbatches;
    first_.assign(microbatches, false);
    owner_.assign(microbatches, RankId(0));
    for (std::uint32_t m = 0; m < std::min(ranks, microbatches); ++m) put_first(m, m);
    while (true) {
      lay_out();
      std::vector<std::uint32_t> late = place_forwards();
      if (late.empty()) break;
      late.resize(std::min<std::size_t>(late.size(), ranks));
      const std::vector<std::uint32_t> by_wait = ranks_by_wait();
      for (std::size_t i = 0; i < late.size(); ++i) put_first(late[i], by_wait[i]);
    }
    place_backwards();
    return {owner_, in_order()};
  }

 private:
  const Pipeline& pipeline() const { return request_.costs.experiment().pipeline; }

  void put_first(std::uint32_t m, std::uint32_t rank) {
    first_[m] = true;
    owner_[m] = RankId(rank);
  }

  // The body behind what stands before it: its timeline and its gaps.
  void lay_out() {
    OwnerMap owner = owner_;
    for (std::uint32_t m = 0; m < owner.size(); ++m)
      if (!first_[m]) owner[m] = owner_[0];  // free, and no later than the first
    const Derived derived = derive_with_(owner);
    const CostModels models = cost_models(request_.costs, derived, request_.draws.numbers());
    expect(derived, models);
    const Timeline timeline = LongestPath(derived.order, 1).timeline(durations(derived, models));
    gaps_.clear();
    begins_.assign(pipeline().ranks, {});
    enters_.assign(first_.size(), Seconds());
    leaves_.assign(first_.size(), Seconds());
    for (std::uint32_t id = 0; id < derived.order.event_count(); ++id)
      note_entry(derived, EventId(id), timeline);
    for (std::uint32_t rank = 0; rank < pipeline().ranks; ++rank) note_gaps(derived, RankId(rank), timeline);
  }

  template <class ValueOf>
  Seconds mean(const CostModels& models, ValueOf value_of) const {
    Seconds sum;
    for (const auto& model : models)
      for (std::uint32_t replica = 0; replica < pipeline().replicas; ++replica)
        sum += value_of(*model, ReplicaId(replica));
    return sum / (static_cast<double>(models.size()) * pipeline().replicas);
  }

  std::vector<Seconds> passes(const CostModels& models, Pass pass) const {
    std::vector<Seconds> times;
    for (std::uint32_t m = 0; m < pipeline().microbatches; ++m)
      times.push_back(mean(models, [&](const CostModel& model, ReplicaId replica) {
        return model.pass(pass, StageId(0), MicrobatchId(m), replica);
      }));
    if (request_.alike) level(times);
    return times;
  }

  void expect(const Derived& derived, const CostModels& models) {
    expected_ = {passes(models, Pass::Forward), passes(models, Pass::Backward), {}, {}};
    for (const Event& event : derived.order.events()) {
      const bool in = event.kind == EventKind::Collective && event.comm == Comm::Gather,
                 out = event.kind == EventKind::Collective && event.comm == Comm::Scatter;
      if (!in && !out) continue;
      const Seconds time = mean(models, [&](const CostModel& model, ReplicaId replica) {
        return model.transfer(event, replica).alone;
      });
      Seconds& most = in ? expected_.gather : expected_.scatter;
      most = std::max(most, time);
    }
    if (derived.point_to_point == PointToPoint::Blocking)
      for (Seconds& time : expected_.encode) time += expected_.gather;  // its rank sends it before it goes on
  }

  // One lane of means; of the input only what stands before the body takes time.
  Durations durations(const Derived& derived, const CostModels& models) {
    Durations times(derived.order.event_count(), 1);
    for (std::uint32_t id = 0; id < times.events(); ++id) {
      const Event& event = derived.order.event(EventId(id));
      if (is_of_input(derived, event) && !(runs_first(event))) continue;
      times.at(EventId(id), 0) = mean(models, [&](const CostModel& model, ReplicaId replica) {
        return event_seconds(model, event, replica);
      });
    }
    const Seconds longest = *std::ranges::max_element(times.flat());
    least_ = std::max(longest * kLeast, Seconds(1e-15));
    for (std::uint32_t id = 0; id < times.events(); ++id)
      if (derived.order.event(EventId(id)).computes())
        times.at(EventId(id), 0) = std::max(times.at(EventId(id), 0), least_);
    return times;
  }

  static bool is_of_input(const Derived& derived, const Event& event) {
    const bool passes = event.computes() || event.kind == EventKind::Collective;
    return passes &&
           (derived.stage(event.stage).region.index() == 0 ||
            (event.kind == EventKind::Collective && derived.stage(event.peer_stage).region.index() == 0));
  }

  bool runs_first(const Event& event) const {
    const bool forward = event.kind == EventKind::Forward ||
                         (event.kind == EventKind::Collective && event.comm == Comm::Gather);
    return forward && first_[event.microbatch.index()];
  }

  // When a microbatch enters the body, and when its gradient leaves it.
  void note_entry(const Derived& derived, EventId id, const Timeline& timeline) {
    const Event& event = derived.order.event(id);
    const auto enters = [&](StageId stage) {
      return derived.stage(stage).region.index() == 1 && derived.stage(stage).index == 0;
    };
    if (event.runs_forward() && enters(event.stage))
      enters_[event.microbatch.index()] = timeline.start.at(id, 0);
    if (event.kind == EventKind::Backward && derived.stage(event.stage).region.index() == 0)
      has_backward_ = true;
    const bool fused = event.kind == EventKind::ForwardBackward;
    const bool back = event.kind == EventKind::Backward || event.kind == EventKind::BackwardInput || fused;
    if (back && enters(fused ? event.peer_stage : event.stage))
      leaves_[(fused ? event.peer_microbatch : event.microbatch).index()] = timeline.end.at(id, 0);
  }

  // A rank that sends is busy where transfers block.
  void note_gaps(const Derived& derived, RankId rank, const Timeline& timeline) {
    const bool blocking = derived.point_to_point == PointToPoint::Blocking;
    Seconds free_from;
    std::uint32_t position = 0;
    for (const EventId id : derived.order.nodes(rank)) {
      const Event& event = derived.order.event(id);
      const bool sends = event.kind == EventKind::Collective && event.rank == rank;
      if (!event.computes() && !(blocking && sends)) continue;
      if (event.computes() && derived.stage(event.stage).region.index() > 0) {
        gaps_.push_back({rank.index(), position, free_from, timeline.start.at(id, 0)});
        ++position;
      } else if (event.computes() && event.kind != EventKind::Forward) {
        continue;  // the input's backwards are behind the body
      }
      free_from = std::max(free_from, timeline.end.at(id, 0));
    }
  }

  // Those that no gap takes in time, in the order in which they are needed.
  std::vector<std::uint32_t> place_forwards() {
    std::vector<std::uint32_t> late;
    std::ranges::sort(gaps_, [](const Gap& a, const Gap& b) {
      return std::tie(a.from, a.rank, a.before) < std::tie(b.from, b.rank, b.before);
    });
    for (const std::uint32_t m : by(enters_)) {
      if (first_[m]) continue;
      const Seconds takes = std::max(expected_.encode[m], least_), until = enters_[m] - expected_.gather;
      Gap* gap = earliest(takes, Seconds(), until, std::nullopt);
      if (gap == nullptr)
        late.push_back(m);
      else
        put(*gap, m, false, gap->from, takes);
    }
    return late;
  }

  void place_backwards() {
    if (!has_backward_) return;  // Lemma 1 leaves it out
    for (const std::uint32_t m : by(leaves_)) {
      const Seconds takes = std::max(expected_.backward[m], least_), ready = leaves_[m] + expected_.scatter;
      if (Gap* gap = earliest(takes, ready, std::nullopt, owner_[m]))
        put(*gap, m, true, std::max(gap->from, ready), takes);
    }
  }

  // Of the gaps that have room between these times, the one in which it begins first.
  Gap* earliest(Seconds takes, Seconds ready, std::optional<Seconds> until, std::optional<RankId> rank) {
    Gap* best = nullptr;
    for (Gap& gap : gaps_) {
      if (rank && gap.rank != rank->index()) continue;
      const Seconds end = std::max(gap.from, ready) + takes;
      if (end > gap.to || (until && end > *until)) continue;
      if (!best || end < std::max(best->from, ready) + takes) best = &gap;
    }
    return best;
  }

  void put(Gap& gap, std::uint32_t m, bool backward, Seconds at, Seconds takes) {
    if (!backward) owner_[m] = RankId(gap.rank);
    begins_[gap.rank].push_back({{gap.before, MicrobatchId(m), backward}, at});
    gap.from = at + takes;
  }

  // Microbatches, the earliest time first.
  static std::vector<std::uint32_t> by(const std::vector<Seconds>& times) {
    std::vector<std::uint32_t> order(times.size());
    for (std::uint32_t m = 0; m < order.size(); ++m) order[m] = m;
    std::ranges::stable_sort(order, {}, [&](std::uint32_t m) { return times[m]; });
    return order;
  }

  // Ranks, the one that waits longest before its body first.
  std::vector<std::uint32_t> ranks_by_wait() const {
    std::vector<Seconds> wait(pipeline().ranks);
    for (const Gap& gap : gaps_)
      if (gap.before == 0) wait[gap.rank] = gap.from - gap.to;
    return by(wait);
  }

  std::vector<std::vector<PlacedPass>> in_order() {
    std::vector<std::vector<PlacedPass>> placed;
    for (std::vector<Begin>& begins : begins_) {
      std::ranges::sort(begins, {}, &Begin::at);
      std::vector<PlacedPass>& own = placed.emplace_back();
      for (const Begin& begin : begins) own.push_back(begin.pass);
    }
    return placed;
  }

  const OwnerRequest& request_;
  const std::function<Derived(const OwnerMap&)>& derive_with_;
  std::vector<bool> first_;  // by microbatch: is it encoded before the body?
  OwnerMap owner_;
  ExpectedStep expected_;
  bool has_backward_ = false;  // the input
  Seconds least_;
  std::vector<Seconds> enters_, leaves_;  // by microbatch
  std::vector<Gap> gaps_;
  std::vector<std::vector<Begin>> begins_;  // by rank
};

}  // namespace

InputPlan plan_in_gaps(const OwnerRequest& request,
                       const std::function<Derived(const OwnerMap&)>& derive_with) {
  return GapPlanner(request, derive_with).plan();
}

}  // namespace spillway
