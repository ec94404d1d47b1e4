// Encodes in bubbles. The body is run by itself on expected times; what it leaves idle on each rank are the
// gaps. The first gap of a rank begins with the step and grows as the body begins later:
//
//   rank 0  |e1     | F1 F2 F3 F4 .  .  B1 F5 B2 ...      P = 2. An encode in a gap has to end before its
//   rank 1  |e2  e3   .  F1 F2 F3 B1 F4 B2 ...            microbatch enters the body on rank 0
//            the body begins so late that all do (by halving), or later
//
// Encodes in the order of their deadlines, each on the rank that is done with it first. A later body has more
// encodes before it and leaves more of its gaps to backwards, so that there are several plans, of which the
// quickest is to be taken. Times in the plan are
// never zero (kLeast), so that what follows also begins later, and an order of beginnings waits for nothing
// but earlier beginnings: no plan waits for itself. Body passes of the draws take what they take; a gap that
// turns out shorter delays what is behind it, as it would on the machine.
// Source: Optimus (ATC 2025), section 4.2; Kimi K3, technical report, section 5.2.3. Tests:
// tests/systems/input_gaps_test.cpp.
#include "policy/input_gaps.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/exact_sum.h"
#include "policy/plan.h"
#include "policy/rank_gaps.h"
#include "timing/longest_path.h"

namespace spillway {
namespace {

// Of the longest expected pass: what every pass takes at least.
constexpr double kLeast = 1e-9;
// How often the time by which the body may have to begin later is halved.
constexpr int kSteps = 40;
// How many plans there are between that time and the one in which everything is encoded before the body.
constexpr int kPlans = 5;

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
  GapPlanner(const OwnerRequest& request, const Derived& derived) : request_(request), derived_(derived) {}

  std::vector<InputPlan> plans() {
    lay_out();
    const Seconds least = least_delay(), most = std::max(least, delay_of_all());
    std::vector<InputPlan> plans;
    for (int i = 0; i < kPlans; ++i) {
      const Seconds later = least + (most - least) * (static_cast<double>(i) / (kPlans - 1));
      if (!place_forwards(later)) continue;  // first come, first served is not monotone
      place_backwards(later);
      plans.push_back({owner_, in_order(), hidden_});
      if (least == most) break;
    }
    ensure(!plans.empty(), "what ended in time by the least delay does so again");
    return plans;
  }

 private:
  const Pipeline& pipeline() const { return request_.costs.experiment().pipeline; }

  static Seconds sum(const std::vector<Seconds>& passes) {
    return std::accumulate(passes.begin(), passes.end(), Seconds());
  }

  // How much later than the step the body begins at least.
  Seconds least_delay() {
    Seconds low, high = expected_.gather + least_;
    for (const auto& passes : expected_.encode) high += sum(passes);
    for (int step = 0; step < kSteps; ++step) {
      const Seconds middle = (low + high) / 2.0;
      (place_forwards(middle) ? high : low) = middle;
    }
    return high;
  }

  // With all encodes before the body on every rank, nothing else being idle.
  Seconds delay_of_all() const {
    Seconds all, longest;
    for (const auto& passes : expected_.encode) {
      all += sum(passes);
      longest = std::max(longest, sum(passes));
    }
    return all / static_cast<double>(pipeline().ranks) + longest + expected_.gather;
  }

  // The body by itself: its timeline and its gaps.
  void lay_out() {
    const CostModels models = cost_models(request_.costs, derived_, request_.draws.numbers());
    const Timeline timeline = LongestPath(derived_.order, 1).timeline(durations(models));
    expect(models);
    body_gaps_.resize(pipeline().ranks);
    enters_.resize(pipeline().microbatches);
    leaves_.resize(pipeline().microbatches);
    owner_.resize(pipeline().microbatches);
    for (std::uint32_t id = 0; id < derived_.order.event_count(); ++id) note_entry(EventId(id), timeline);
    for (std::uint32_t rank = 0; rank < pipeline().ranks; ++rank) note_gaps(RankId(rank), timeline, models);
  }

  template <class ValueOf>
  Seconds mean(const CostModels& models, ValueOf value_of) const {
    ExactSum sum;
    for (const auto& model : models)
      for (std::uint32_t replica = 0; replica < pipeline().replicas; ++replica)
        sum.add(value_of(*model, ReplicaId(replica)));
    return Seconds(sum.value() / (static_cast<double>(models.size()) * pipeline().replicas));
  }

  // By microbatch, of each piece; the pieces are the input's stages on the first rank.
  std::vector<std::vector<Seconds>> passes(const CostModels& models, Pass pass) const {
    std::vector<std::vector<Seconds>> times(pipeline().microbatches);
    for (std::uint32_t id = 0; id < derived_.stages.size(); ++id) {
      const Stage& stage = derived_.stages[id];
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

  void expect(const CostModels& models) {
    expected_ = {passes(models, Pass::Forward), passes(models, Pass::Backward), {}, {}};
    for (auto& backward : expected_.backward) std::ranges::reverse(backward);
    for (const Event& event : derived_.order.events()) {
      const bool in = event.kind == EventKind::Collective && event.comm == Comm::Gather,
                 out = event.kind == EventKind::Collective && event.comm == Comm::Scatter;
      if (!in && !out) continue;
      const Seconds time = mean(models, [&](const CostModel& model, ReplicaId replica) {
        return model.transfer(event, replica).alone;
      });
      Seconds& most = in ? expected_.gather : expected_.scatter;
      most = std::max(most, time);
    }
    if (derived_.point_to_point == PointToPoint::Blocking)
      for (auto& encode : expected_.encode) encode.back() += expected_.gather;  // its rank sends it first
  }

  // One lane of means; the input takes nothing.
  Durations durations(const CostModels& models) {
    Durations times(derived_.order.event_count(), 1);
    for (std::uint32_t id = 0; id < times.events(); ++id) {
      const Event& event = derived_.order.event(EventId(id));
      if (is_of_input(event)) continue;
      times.at(EventId(id), 0) = mean(models, [&](const CostModel& model, ReplicaId replica) {
        return event_seconds(model, event, replica);
      });
    }
    const Seconds longest = *std::ranges::max_element(times.flat());
    least_ = std::max(longest * kLeast, Seconds(1e-15));
    for (std::uint32_t id = 0; id < times.events(); ++id)
      if (derived_.order.event(EventId(id)).computes())
        times.at(EventId(id), 0) = std::max(times.at(EventId(id), 0), least_);
    return times;
  }

  bool is_of_input(const Event& event) const {
    const bool transfers = event.kind == EventKind::Collective;
    const auto of_input = [&](StageId stage) { return derived_.stage(stage).region.index() == 0; };
    return (event.computes() && of_input(event.stage)) ||
           (transfers && (of_input(event.stage) || of_input(event.peer_stage)));
  }

  // When a microbatch enters the body, and when its gradient leaves it.
  void note_entry(EventId id, const Timeline& timeline) {
    const Event& event = derived_.order.event(id);
    const auto enters = [&](StageId stage) {
      return derived_.stage(stage).region.index() == 1 && derived_.stage(stage).index == 0;
    };
    if (event.runs_forward() && enters(event.stage))
      enters_[event.microbatch.index()] = timeline.start.at(id, 0);
    if (event.kind == EventKind::Backward && derived_.stage(event.stage).region.index() == 0)
      has_backward_ = true;
    const bool fused = event.kind == EventKind::ForwardBackward;
    const bool back = event.kind == EventKind::Backward || event.kind == EventKind::BackwardInput || fused;
    if (back && enters(fused ? event.peer_stage : event.stage))
      leaves_[(fused ? event.peer_microbatch : event.microbatch).index()] = timeline.end.at(id, 0);
  }

  // A rank that sends is busy where transfers block.
  void note_gaps(RankId rank, const Timeline& timeline, const CostModels& models) {
    const bool blocking = derived_.point_to_point == PointToPoint::Blocking;
    RankGaps& gaps = body_gaps_[rank.index()];
    Seconds free_from;
    std::optional<RankGap> host;  // nothing can stand behind the last event of a body
    std::uint32_t position = 0;
    for (const EventId id : derived_.order.nodes(rank)) {
      const Event& event = derived_.order.event(id);
      const bool sends = event.kind == EventKind::Collective && event.rank == rank;
      if (!event.computes() && !(blocking && sends)) continue;
      const bool of_input = event.computes() && derived_.stage(event.stage).region.index() == 0;
      if (of_input) continue;
      if (event.computes()) {
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

  // With the body that much later; false where some encode finds no place in time.
  bool place_forwards(Seconds later) {
    gaps_ = body_gaps_;
    for (RankGaps& gaps : gaps_) gaps.delay(later);
    begins_.assign(pipeline().ranks, {});
    hidden_.clear();
    return std::ranges::all_of(by(enters_), [&](std::uint32_t m) { return place_forward(m, later); });
  }

  bool place_forward(std::uint32_t m, Seconds later) {
    const std::vector<Seconds>& passes = expected_.encode[m];
    std::vector<GapUse> best;
    for (std::uint32_t rank = 0; rank < gaps_.size(); ++rank) {
      std::vector<GapUse> uses = gaps_[rank].fit(passes, Seconds(), enters_[m] + later - expected_.gather);
      if (uses.size() < passes.size() || (!best.empty() && uses.back().end >= best.back().end)) continue;
      best = std::move(uses);
      owner_[m] = RankId(rank);
    }
    take(best, m, false, passes);
    return !best.empty();
  }

  void place_backwards(Seconds later) {
    if (!has_backward_) return;  // Lemma 1 leaves it out
    for (const std::uint32_t m : by(leaves_)) {
      const std::vector<Seconds>& passes = expected_.backward[m];
      const Seconds ready = leaves_[m] + later + expected_.scatter;
      take(gaps_[owner_[m].index()].fit(passes, ready, std::nullopt), m, true, passes);
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
  const Derived& derived_;
  OwnerMap owner_;
  ExpectedStep expected_;
  bool has_backward_ = false;  // the input
  Seconds least_;
  std::vector<Seconds> enters_, leaves_;    // by microbatch
  std::vector<RankGaps> body_gaps_, gaps_;  // by rank: of the body by itself; what is left of them
  std::vector<HiddenPass> hidden_;
  std::vector<std::vector<Begin>> begins_;  // by rank
};

}  // namespace

std::vector<InputPlan> plans_in_gaps(const OwnerRequest& request, const Derived& derived) {
  return GapPlanner(request, derived).plans();
}

}  // namespace spillway
