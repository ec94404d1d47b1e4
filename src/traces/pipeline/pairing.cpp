#include "traces/pipeline/pairing.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace spillway {
namespace {

bool forwards(TraceKind kind) {
  return kind == TraceKind::SendForward || kind == TraceKind::ReceiveForward;
}

bool sends(TraceKind kind) {
  return kind == TraceKind::SendForward || kind == TraceKind::SendBackward;
}

// Of the lower of the two stages; kUnknown below the first.
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

// The microbatches of a stage in the order in which it runs them.
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

// Sides of one stage and kind, by time.
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

}  // namespace

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

}  // namespace spillway
