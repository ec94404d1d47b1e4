// Finds the shape, then the whole steps, then the clocks, then the order that most steps share.
#include "traces/pipeline/pipeline.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "traces/events/union_of_intervals.h"
#include "traces/pipeline/clock_alignment.h"
#include "traces/pipeline/measured_step.h"

namespace spillway {
namespace {

void note(std::vector<Note>& notes, NoteKind kind, std::size_t count, std::string text) {
  if (count > 0) notes.push_back({kind, count, std::move(text)});
}

// A slice that has all its passes.
struct WholeStep {
  const StepSlice* slice;
  StagePasses passes;

  std::size_t microbatches() const { return passes.front().size(); }
};

std::string place_of(const Trace& trace, const StepSlice& slice) {
  return "step " + trace.steps[slice.step] + ", replica " + std::to_string(slice.replica.index());
}

std::vector<WholeStep> whole_steps(const Trace& trace, const std::vector<StepSlice>& slices,
                                   const PipelineShape& shape, std::vector<Note>& notes) {
  std::vector<WholeStep> whole;
  std::string first;
  for (const StepSlice& slice : slices) {
    auto passes = step_passes(slice, shape);
    if (auto* all = std::get_if<StagePasses>(&passes))
      whole.push_back({&slice, std::move(*all)});
    else if (first.empty())
      first = place_of(trace, slice) + ": " + std::get<std::string>(passes);
  }
  if (whole.empty())
    throw InputError({{file_of(trace), "/", "a step with every pass of every microbatch, once",
                       "none in " + counted(slices.size(), "step") + " of a replica (" + first + ")"}});
  note(notes, NoteKind::Dropped, slices.size() - whole.size(),
       "steps of a replica without one complete set of passes (" + first + ")");
  return whole;
}

// Keeps the steps with the most common number of microbatches, the larger of equals.
void keep_commonest(std::vector<WholeStep>& steps, std::vector<Note>& notes) {
  std::map<std::size_t, std::size_t> count;
  for (const WholeStep& step : steps) ++count[step.microbatches()];
  std::size_t commonest = 0;
  for (const auto& [microbatches, times] : count)
    if (commonest == 0 || times >= count[commonest]) commonest = microbatches;
  const std::size_t before = steps.size();
  std::erase_if(steps, [&](const WholeStep& step) { return step.microbatches() != commonest; });
  note(notes, NoteKind::Dropped, before - steps.size(),
       "steps of a replica with another number of microbatches than " + std::to_string(commonest));
}

std::vector<std::vector<Interval>> joined_collectives(const StepSlice& slice, std::uint32_t ranks) {
  std::vector<std::vector<Interval>> all(ranks);
  for (const TraceEvent& event : slice.events) {
    if (event.kind == TraceKind::Collective && event.rank < ranks)
      all[event.rank].push_back({event.start, event.end()});
  }
  for (std::vector<Interval>& own : all) own = union_of(std::move(own));
  return all;
}

// Counts, over all steps, how the sides of transfers were handled.
struct SideCounts {
  std::size_t ordered = 0;
  std::size_t unplaced = 0;
  std::size_t repeated = 0;
  std::size_t pairs = 0;
  std::size_t alone = 0;
  std::size_t absent = 0;

  void add(const StepTransfers& step, const PipelineShape& shape) {
    ordered += step.ordered;
    unplaced += step.unplaced;
    repeated += step.repeated;
    for (std::uint32_t seam = 0; seam + 1 < shape.stages; ++seam) {
      if (shape.stage_rank[seam] == shape.stage_rank[seam + 1]) continue;
      for (const auto* all : {&step.activations, &step.gradients})
        for (const MeasuredTransfer& transfer : (*all)[seam]) add(transfer);
    }
  }

  void add(const MeasuredTransfer& transfer) {
    const bool both = transfer.sent && transfer.received, none = !transfer.sent && !transfer.received;
    ++(both ? pairs : none ? absent : alone);
  }

  void say(std::vector<Note>& notes) const {
    note(notes, NoteKind::Guessed, ordered,
         "sides of transfers without a microbatch: the k-th belongs to the k-th pass of its stage");
    note(notes, NoteKind::Dropped, unplaced, "sides of transfers without a microbatch or stage");
    note(notes, NoteKind::Dropped, repeated, "sides of transfers beyond the first of their microbatch");
    note(notes, NoteKind::Missing, alone, "transfers of which only one side is there");
    note(notes, NoteKind::Missing, absent, "transfers between ranks of which neither side is there");
  }
};

std::vector<MeasuredStep> measured_steps(std::vector<WholeStep> whole, const PipelineShape& shape,
                                         std::vector<Note>& notes) {
  std::vector<MeasuredStep> steps;
  SideCounts sides;
  for (WholeStep& step : whole) {
    StepTransfers transfers = step_transfers(*step.slice, shape, step.passes);
    sides.add(transfers, shape);
    steps.push_back({step.slice->step, step.slice->replica, std::move(step.passes),
                     std::move(transfers.activations), std::move(transfers.gradients),
                     joined_collectives(*step.slice, shape.ranks), step_order(*step.slice, shape)});
  }
  sides.say(notes);
  return steps;
}

void note_absences(const Trace& trace, const std::vector<MeasuredStep>& steps, const PipelineShape& shape,
                   std::vector<Note>& notes) {
  const auto unnumbered = std::count_if(trace.events.begin(), trace.events.end(), [](const TraceEvent& e) {
    return is_compute(e.kind) && e.microbatch == kUnknown;
  });
  note(notes, NoteKind::Dropped, static_cast<std::size_t>(unnumbered), "passes without a microbatch");
  std::vector<bool> present(shape.replicas);
  for (const MeasuredStep& step : steps) present[step.replica.index()] = true;
  const auto absent = std::count(present.begin(), present.end(), false);
  note(notes, NoteKind::Missing, static_cast<std::size_t>(absent), "replicas without a whole step");
}

}  // namespace

std::optional<Seconds> MeasuredTransfer::time() const {
  if (!sent || !received) return std::nullopt;
  return std::min(sent->length(), received->length());
}

Interval MeasuredStep::span() const {
  Interval span = {passes.front().front().forward.start, passes.front().front().backward.end};
  for (const auto& stage : passes) {
    for (const MeasuredPasses& pass : stage) {
      span.start = std::min(span.start, pass.forward.start);
      span.end = std::max(span.end, pass.backward.end);
      if (pass.weight) span.end = std::max(span.end, pass.weight->end);
    }
  }
  return span;
}

MeasuredPipeline measured_pipeline(const Trace& trace) {
  const PipelineShape shape = pipeline_shape(trace);
  std::vector<Note> notes;
  const std::vector<StepSlice> slices = step_slices(trace);
  std::vector<WholeStep> whole = whole_steps(trace, slices, shape, notes);
  keep_commonest(whole, notes);
  std::vector<MeasuredStep> steps = measured_steps(std::move(whole), shape, notes);
  note_absences(trace, steps, shape, notes);
  ClockAlignment clocks = align_clocks(steps, shape);
  notes.insert(notes.end(), clocks.notes.begin(), clocks.notes.end());
  for (MeasuredStep& step : steps) add_offsets(step, shape, clocks.offsets);
  CommonOrder common = common_order(steps);
  note(notes, NoteKind::Differs, common.others, "steps of a replica in another order than most");
  const auto microbatches = static_cast<std::uint32_t>(steps.front().passes.front().size());
  return {shape.ranks,
          shape.stages,
          microbatches,
          shape.replicas,
          {shape.stage_rank, std::move(common.orders)},
          std::move(steps),
          std::move(clocks.offsets),
          std::move(notes)};
}

}  // namespace spillway
