#include "traces/pipeline/measured_step.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "base/error.h"

namespace spillway {
namespace {

using Passes = std::vector<const TraceEvent*>;

std::string text(std::string_view what, std::uint32_t microbatch, std::uint32_t stage) {
  return std::string(what) + " of microbatch " + std::to_string(microbatch) + " in stage " +
         std::to_string(stage);
}

// Returns the numbered passes by stage, microbatch and kind.
Passes sorted_passes(const StepSlice& slice) {
  Passes passes;
  for (const TraceEvent& event : slice.events)
    if (is_compute(event.kind) && event.microbatch != kUnknown) passes.push_back(&event);
  const auto key = [](const TraceEvent* e) { return std::make_tuple(e->stage, e->microbatch, e->kind); };
  std::stable_sort(passes.begin(), passes.end(), [&](auto* a, auto* b) { return key(a) < key(b); });
  return passes;
}

// Walks through sorted passes and takes those of one stage and microbatch at a time.
class PassWalk {
 public:
  explicit PassWalk(const Passes& passes) : passes_(passes) {}

  // Returns the microbatch's passes in this stage. If one is missing or repeated, returns nothing, and why()
  // says which.
  std::optional<MeasuredPasses> take(std::uint32_t stage, std::uint32_t microbatch) {
    const auto forward = take(stage, microbatch, TraceKind::Forward);
    const auto whole = take(stage, microbatch, TraceKind::Backward);
    const auto input = take(stage, microbatch, TraceKind::BackwardInput);
    const auto weight = take(stage, microbatch, TraceKind::BackwardWeight);
    if (why_.empty() && !forward) why_ = text("no forward", microbatch, stage);
    if (why_.empty() && !whole && !input) why_ = text("no backward", microbatch, stage);
    if (why_.empty() && whole && (input || weight))
      why_ = text("a whole and a split backward", microbatch, stage);
    if (why_.empty() && input && !weight) why_ = text("no weight gradient", microbatch, stage);
    if (!why_.empty()) return std::nullopt;
    return MeasuredPasses{*forward, whole ? *whole : *input, weight};
  }

  const std::string& why() const { return why_; }

 private:
  std::optional<Interval> take(std::uint32_t stage, std::uint32_t microbatch, TraceKind kind) {
    const auto is_next = [&] {
      return at_ < passes_.size() && passes_[at_]->stage == stage && passes_[at_]->microbatch == microbatch &&
             passes_[at_]->kind == kind;
    };
    if (!is_next()) return std::nullopt;
    const TraceEvent& event = *passes_[at_++];
    if (is_next() && why_.empty())
      why_ = text("more than one " + std::string(to_string(kind)), microbatch, stage);
    return Interval{event.start, event.end()};
  }

  const Passes& passes_;
  std::size_t at_ = 0;
  std::string why_;
};

// A step in which no pass takes time has no length to which an error could be relative.
bool takes_time(const StepSlice& slice) {
  return std::any_of(slice.events.begin(), slice.events.end(), [](const TraceEvent& event) {
    return is_compute(event.kind) && event.duration > Seconds();
  });
}

bool forwards(TraceKind kind) {
  return kind == TraceKind::SendForward || kind == TraceKind::ReceiveForward;
}

bool sends(TraceKind kind) {
  return kind == TraceKind::SendForward || kind == TraceKind::SendBackward;
}

// The lower of the two stages that a transfer connects; kUnknown below the first.
std::uint32_t seam_of(const TraceEvent& event) {
  const bool upper_end = event.kind == TraceKind::ReceiveForward || event.kind == TraceKind::SendBackward;
  if (!upper_end) return event.stage;
  return event.stage == 0 ? kUnknown : event.stage - 1u;
}

struct Sides {
  Sides(std::uint32_t seams, std::size_t microbatches)
      : found{StageTransfers(seams, std::vector<MeasuredTransfer>(microbatches)),
              StageTransfers(seams, std::vector<MeasuredTransfer>(microbatches))} {}

  void place(const TraceEvent& event, std::uint32_t microbatch) {
    StageTransfers& all = forwards(event.kind) ? found.activations : found.gradients;
    const std::uint32_t seam = seam_of(event);
    if (seam >= all.size() || microbatch >= all[seam].size()) {
      ++found.unplaced;
      return;
    }
    MeasuredTransfer& transfer = all[seam][microbatch];
    auto& side = sends(event.kind) ? transfer.sent : transfer.received;
    if (side)
      ++found.repeated;
    else
      side = Interval{event.start, event.end()};
  }

  StepTransfers found;
};

// Returns the microbatches of a stage in the order in which it runs them.
std::vector<std::uint32_t> by_start(const std::vector<MeasuredPasses>& passes,
                                    Interval MeasuredPasses::*direction) {
  std::vector<std::uint32_t> order(passes.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return (passes[a].*direction).start < (passes[b].*direction).start;
  });
  return order;
}

using Pointers = std::vector<const TraceEvent*>;

// Places the sides of one stage and kind by their order in time.
void place_by_order(Pointers::const_iterator first, Pointers::const_iterator last, const StagePasses& passes,
                    Sides& sides) {
  const auto& of_stage = passes[std::min<std::size_t>((*first)->stage, passes.size() - 1)];
  const auto count = static_cast<std::size_t>(last - first);
  if (count != of_stage.size()) {
    sides.found.unplaced += count;
    return;
  }
  const auto order =
      by_start(of_stage, forwards((*first)->kind) ? &MeasuredPasses::forward : &MeasuredPasses::backward);
  for (std::size_t k = 0; k < count; ++k) sides.place(*first[static_cast<std::ptrdiff_t>(k)], order[k]);
  sides.found.ordered += count;
}

Action action_of(TraceKind kind) {
  switch (kind) {
    case TraceKind::Forward:
      return Action::Forward;
    case TraceKind::Backward:
      return Action::Backward;
    case TraceKind::BackwardInput:
      return Action::BackwardInput;
    case TraceKind::BackwardWeight:
      return Action::BackwardWeight;
    default:
      throw ContractBreach("a computing event");
  }
}

bool run_together(const TraceEvent& a, const TraceEvent& b) {
  const bool both = (a.kind == TraceKind::Forward && b.kind == TraceKind::Backward) ||
                    (a.kind == TraceKind::Backward && b.kind == TraceKind::Forward);
  const Seconds shared = std::min(a.end(), b.end()) - std::max(a.start, b.start);
  return both && shared > 0.5 * std::min(a.duration, b.duration);
}

Slot together(const Slot& a, const Slot& b) {
  const Slot& forward = a.action == Action::Forward ? a : b;
  const Slot& backward = a.action == Action::Forward ? b : a;
  return {Action::ForwardBackward, forward.chunk, forward.microbatch, backward.chunk, backward.microbatch};
}

}  // namespace

std::vector<StepSlice> step_slices(const Trace& trace) {
  const auto key = [](const TraceEvent& e) { return std::make_tuple(e.step, e.replica, e.rank, e.start); };
  const auto before = [&](const TraceEvent& a, const TraceEvent& b) { return key(a) < key(b); };
  ensure(std::is_sorted(trace.events.begin(), trace.events.end(), before), "a trace is normalised");
  std::vector<StepSlice> slices;
  for (auto first = trace.events.begin(); first != trace.events.end();) {
    const auto last = std::find_if(first, trace.events.end(), [&](const TraceEvent& event) {
      return event.step != first->step || event.replica != first->replica;
    });
    if (std::any_of(first, last, [](const TraceEvent& event) { return is_compute(event.kind); }))
      slices.push_back({first->step, ReplicaId(first->replica), {first, last}});
    first = last;
  }
  return slices;
}

std::variant<StagePasses, std::string> step_passes(const StepSlice& slice, const PipelineShape& shape) {
  if (!takes_time(slice)) return "no pass takes any time";
  const Passes sorted = sorted_passes(slice);
  std::uint32_t highest = 0;
  for (const TraceEvent* event : sorted) highest = std::max(highest, event->microbatch);
  PassWalk walk(sorted);
  StagePasses passes(shape.stages);
  for (std::uint32_t stage = 0; stage < shape.stages; ++stage) {
    for (std::uint32_t m = 0; m <= highest; ++m) {
      const auto taken = walk.take(stage, m);
      if (!taken) return walk.why();
      passes[stage].push_back(*taken);
    }
  }
  return passes;
}

StepTransfers step_transfers(const StepSlice& slice, const PipelineShape& shape, const StagePasses& passes) {
  Sides sides(shape.stages - 1, passes.front().size());
  Pointers unnumbered;
  for (const TraceEvent& event : slice.events) {
    if (!is_transfer(event.kind)) continue;
    if (event.microbatch == kUnknown)
      unnumbered.push_back(&event);
    else
      sides.place(event, event.microbatch);
  }
  const auto key = [](const TraceEvent* e) { return std::make_tuple(e->stage, e->kind); };
  std::stable_sort(unnumbered.begin(), unnumbered.end(), [&](auto* a, auto* b) { return key(a) < key(b); });
  for (auto first = unnumbered.cbegin(); first != unnumbered.cend();) {
    const auto last =
        std::find_if(first, unnumbered.cend(), [&](const TraceEvent* e) { return key(e) != key(*first); });
    place_by_order(first, last, passes, sides);
    first = last;
  }
  return std::move(sides.found);
}

std::vector<RankOrder> step_order(const StepSlice& slice, const PipelineShape& shape) {
  std::vector<RankOrder> orders(shape.ranks);
  const TraceEvent* last = nullptr;  // the rank's previous pass, unless it is already half of a pair
  for (const TraceEvent& event : slice.events) {
    if (!is_compute(event.kind) || event.microbatch == kUnknown) continue;
    RankOrder& order = orders[event.rank];
    const Slot slot{action_of(event.kind), shape.stage_chunk[event.stage], MicrobatchId(event.microbatch)};
    if (last != nullptr && last->rank == event.rank && run_together(*last, event)) {
      order.back() = together(order.back(), slot);
      last = nullptr;
    } else {
      order.push_back(slot);
      last = &event;
    }
  }
  return orders;
}

CommonOrder common_order(const std::vector<MeasuredStep>& steps) {
  struct Counted {
    const std::vector<RankOrder>* orders;
    std::size_t steps;
  };
  std::vector<Counted> distinct;
  for (const MeasuredStep& step : steps) {
    const auto same = std::find_if(distinct.begin(), distinct.end(),
                                   [&](const Counted& counted) { return *counted.orders == step.order; });
    if (same == distinct.end())
      distinct.push_back({&step.order, 1});
    else
      ++same->steps;
  }
  const auto most = std::max_element(distinct.begin(), distinct.end(),
                                     [](const Counted& a, const Counted& b) { return a.steps < b.steps; });
  return {*most->orders, steps.size() - most->steps};
}

}  // namespace spillway
