#include "traces/pipeline/step_passes.h"

#include <algorithm>
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

// The numbered passes by stage, microbatch and kind.
Passes sorted_passes(const StepSlice& slice) {
  Passes passes;
  for (const TraceEvent& event : slice.events)
    if (is_compute(event.kind) && event.microbatch != kUnknown) passes.push_back(&event);
  const auto key = [](const TraceEvent* e) { return std::make_tuple(e->stage, e->microbatch, e->kind); };
  std::stable_sort(passes.begin(), passes.end(), [&](auto* a, auto* b) { return key(a) < key(b); });
  return passes;
}

// Goes through sorted passes and takes those of one stage and microbatch after another.
class PassWalk {
 public:
  explicit PassWalk(const Passes& passes) : passes_(passes) {}

  // The microbatch's passes in this stage; or nothing, and why() says what was wrong.
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

// Without any, a step has no length that an error could be relative to.
bool takes_time(const StepSlice& slice) {
  return std::any_of(slice.events.begin(), slice.events.end(), [](const TraceEvent& event) {
    return is_compute(event.kind) && event.duration > Seconds();
  });
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

}  // namespace spillway
