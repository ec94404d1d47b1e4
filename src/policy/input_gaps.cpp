// Encodes in bubbles. The body is run on expected times with only those encodes that stand before it; what it
// leaves idle on each rank are the gaps:
//
//   rank 0  e1 | F1 F2 F3 F4 .  .  B1 F5 B2 ...      P = 2. A gap ends where the body goes on; an
//   rank 1  e2 | .  F1 F2 F3 B1 F4 B2 ...            encode in it has to end before its microbatch
//              ^ e3 fits                             enters the body
//
// Encodes in the order of their deadlines take the earliest room there is: of equal encodes in one piece no
// choice places more. Times in the plan are never zero (kLeast), so that what follows also begins later, and
// an order of beginnings waits for nothing but earlier beginnings: no plan waits for itself. Body passes of
// the draws take what they take; a gap that turns out shorter delays what is behind it, as it would on the
// machine. Source: Optimus (ATC 2025), section 4.2; Kimi K3, technical report, section 5.2.3. Tests:
// tests/systems/input_gaps_test.cpp.
#include "policy/input_gaps.h"

#include <algorithm>
#include <optional>

#include "policy/plan.h"
#include "policy/rank_gaps.h"
#include "timing/longest_path.h"

namespace spillway {
namespace {

// Of the longest expected pass: what every pass takes at least.
constexpr double kLeast = 1e-9;

// What is planned with: means over draws and replicas.
struct ExpectedStep {
  std::vector<std::vector<Seconds>> encode, backward;  // of the input, by microbatch and pass, as they run
  Seconds gather, scatter;                             // the longest
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
    const std::uint32_t stated = request_.schedule.input.first;
    for (std::uint32_t m = 0; m < std::min(stated == 0 ? ranks : stated, microbatches); ++m)
      put_first(m, m % ranks);
    while (true) {
      lay_out();
      std::vector<std::uint32_t> late = place_forwards();
      if (late.empty()) break;
      late.resize(std::min<std::size_t>(late.size(), ranks));
      const std::vector<std::uint32_t> by_wait = ranks_by_wait();
      for (std::size_t i = 0; i < late.size(); ++i) put_first(late[i], by_wait[i]);
    }
    place_backwards();
    return {owner_, in_order(), std::move(hidden_)};
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
    const Timeline timeline = LongestPath(derived.order, 1).timeline(durations(derived, models));
    expect(derived, models);
    gaps_.assign(pipeline().ranks, {});
    hidden_.clear();
    begins_.assign(pipeline().ranks, {});
    enters_.assign(first_.size(), Seconds());
    leaves_.assign(first_.size(), Seconds());
    for (std::uint32_t id = 0; id < derived.order.event_count(); ++id)
      note_entry(derived, EventId(id), timeline);
    for (std::uint32_t rank = 0; rank < pipeline().ranks; ++rank)
      note_gaps(derived, RankId(rank), timeline, models);
  }

  template <class ValueOf>
  Seconds mean(const CostModels& models, ValueOf value_of) const {
    Seconds sum;
    for (const auto& model : models)
      for (std::uint32_t replica = 0; replica < pipeline().replicas; ++replica)
        sum += value_of(*model, ReplicaId(replica));
    return sum / (static_cast<double>(models.size()) * pipeline().replicas);
  }

  // By microbatch, of each piece; the pieces are the input's stages on the first rank.
  std::vector<std::vector<Seconds>> passes(const Derived& derived, const CostModels& models,
                                           Pass pass) const {
    std::vector<std::vector<Seconds>> times(pipeline().microbatches);
    for (std::uint32_t id = 0; id < derived.stages.size(); ++id) {
      const Stage& stage = derived.stages[id];
      if (stage.region.index() > 0 || stage.rank.index() > 0) continue;
      std::vector<Seconds> piece;
      for (std::uint32_t m = 0; m < times.size(); ++m)
        piece.push_back(mean(models, [&](const CostModel& model, ReplicaId replica) {
          return model.pass(pass, StageId(id), MicrobatchId(m), replica);
        }));
      if (request_.alike) level(piece);
      for (std::uint32_t m = 0; m < times.size(); ++m) times[m].push_back(std::max(piece[m], least_));
    }
    return times;
  }

  void expect(const Derived& derived, const CostModels& models) {
    expected_ = {passes(derived, models, Pass::Forward), passes(derived, models, Pass::Backward), {}, {}};
    for (auto& backward : expected_.backward) std::ranges::reverse(backward);
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
      for (auto& encode : expected_.encode) encode.back() += expected_.gather;  // its rank sends it first
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
  void note_gaps(const Derived& derived, RankId rank, const Timeline& timeline, const CostModels& models) {
    const bool blocking = derived.point_to_point == PointToPoint::Blocking;
    RankGaps& gaps = gaps_[rank.index()];
    Seconds free_from;
    std::optional<RankGap> host;  // nothing can stand behind the last event of a body
    std::uint32_t position = 0;
    for (const EventId id : derived.order.nodes(rank)) {
      const Event& event = derived.order.event(id);
      const bool sends = event.kind == EventKind::Collective && event.rank == rank;
      if (!event.computes() && !(blocking && sends)) continue;
      const bool of_input = event.computes() && derived.stage(event.stage).region.index() == 0;
      if (of_input && event.kind != EventKind::Forward) continue;  // behind the body
      if (event.computes() && !of_input) {
        const Seconds start = timeline.start.at(id, 0), end = timeline.end.at(id, 0);
        if (host) gaps.add(*host);
        gaps.add({position, free_from, start});
        host = under(event, {position + 1, start, end}, models);
        ++position;
      }
      free_from = std::max(free_from, timeline.end.at(id, 0));
    }
  }

  // Room under the communication of a pass, where it is asked for and there is any.
  std::optional<RankGap> under(const Event& event, RankGap gap, const CostModels& models) const {
    if (!request_.schedule.input.under_communication) return std::nullopt;
    gap.host = event;
    gap.room = mean(models, [&](const CostModel& model, ReplicaId replica) {
      return model.inside(event, replica).collectives;
    });
    return gap.room > Seconds() ? std::optional(gap) : std::nullopt;
  }

  // Those that no rank takes in time, in the order in which they are needed.
  std::vector<std::uint32_t> place_forwards() {
    std::vector<std::uint32_t> late;
    for (const std::uint32_t m : by(enters_))
      if (!first_[m] && !place_forward(m)) late.push_back(m);
    return late;
  }

  bool place_forward(std::uint32_t m) {
    const std::vector<Seconds>& passes = expected_.encode[m];
    std::vector<GapUse> best;
    for (std::uint32_t rank = 0; rank < gaps_.size(); ++rank) {
      std::vector<GapUse> uses = gaps_[rank].fit(passes, Seconds(), enters_[m] - expected_.gather);
      if (uses.size() < passes.size() || (!best.empty() && uses.back().end >= best.back().end)) continue;
      best = std::move(uses);
      owner_[m] = RankId(rank);
    }
    take(best, m, false, passes);
    return !best.empty();
  }

  void place_backwards() {
    if (!has_backward_) return;  // Lemma 1 leaves it out
    for (const std::uint32_t m : by(leaves_)) {
      const std::vector<Seconds>& passes = expected_.backward[m];
      take(gaps_[owner_[m].index()].fit(passes, leaves_[m] + expected_.scatter, std::nullopt), m, true,
           passes);
    }
  }

  // The passes of a microbatch that found their places, the first ones.
  void take(const std::vector<GapUse>& uses, std::uint32_t m, bool backward,
            const std::vector<Seconds>& passes) {
    const std::uint32_t rank = owner_[m].index(), ranks = pipeline().ranks;
    for (std::uint32_t i = 0; i < uses.size(); ++i) {
      const auto piece = backward ? static_cast<std::uint32_t>(passes.size()) - 1 - i : i;
      const RankGap& gap = gaps_[rank][uses[i].gap];
      begins_[rank].push_back({{gap.before, MicrobatchId(m), backward, piece}, uses[i].at});
      if (gap.host) hidden_.push_back({StageId(piece * ranks + rank), MicrobatchId(m), backward, *gap.host});
      gaps_[rank].take(uses[i], passes[i]);
    }
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
    std::vector<Seconds> wait;
    for (const RankGaps& gaps : gaps_) wait.push_back(Seconds() - gaps.wait());
    return by(wait);
  }

  std::vector<std::vector<PlacedPass>> in_order() {
    std::vector<std::vector<PlacedPass>> placed;
    for (std::vector<Begin>& begins : begins_) {
      std::ranges::stable_sort(begins, {}, &Begin::at);
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
  std::vector<RankGaps> gaps_;            // by rank
  std::vector<HiddenPass> hidden_;
  std::vector<std::vector<Begin>> begins_;  // by rank
};

}  // namespace

InputPlan plan_in_gaps(const OwnerRequest& request,
                       const std::function<Derived(const OwnerMap&)>& derive_with) {
  return GapPlanner(request, derive_with).plan();
}

}  // namespace spillway
