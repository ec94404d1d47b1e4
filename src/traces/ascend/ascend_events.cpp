#include "traces/ascend/ascend_events.h"

#include <algorithm>
#include <limits>
#include <span>

#include "traces/ascend/ascend_passes.h"
#include "traces/events/trace.h"

namespace spillway {
namespace {

// Counts of what was inferred, over all devices.
struct EventTally {
  std::size_t passes = 0;
  std::size_t splits = 0;
  std::size_t seeded = 0;  // splits at a seed
  std::size_t unused_messages = 0;
  std::size_t missing_messages = 0;
  std::size_t undirected_messages = 0;  // on devices without kernels
  std::size_t unequal_steps = 0;        // steps whose numbers of forwards and backwards differ
};

class FolderTrace {
 public:
  FolderTrace(const std::vector<AscendTimeline>& timelines, AscendNaming naming)
      : timelines_(timelines), naming_(std::move(naming)) {}

  Trace run(std::vector<std::string> files, std::vector<Note> notes) {
    trace_.format = "ascend";
    trace_.files = std::move(files);
    trace_.notes = std::move(notes);
    trace_.steps = naming_.steps.texts();
    origin_ns_ = std::numeric_limits<std::int64_t>::max();
    for (const AscendTimeline& timeline : timelines_)
      for (const AscendItem& item : timeline.items) origin_ns_ = std::min(origin_ns_, item.start_ns);
    trace_.origin_s = static_cast<double>(origin_ns_) * 1e-9;
    for (const AscendTimeline& timeline : timelines_) add(timeline);
    trace_.names = naming_.names.texts();
    add_notes();
    order_steps(trace_);
    normalise(trace_);
    return std::move(trace_);
  }

 private:
  void add(const AscendTimeline& timeline) {
    for (const AscendItem& item : timeline.items) {
      if (!is_point_to_point(item.sign))
        add(timeline.rank, item, is_communication(item.sign) ? TraceKind::Collective : TraceKind::Kernel);
      else if (!timeline.has_kernels)
        ++tally_.undirected_messages;
    }
    const bool inferable = timeline.rank.pipeline_ranks > 1 && !timeline.rank.context_parallel;
    if (!timeline.has_kernels || !inferable) return;
    const std::span<const AscendItem> items(timeline.items);
    for (std::size_t begin = 0, end; begin < items.size(); begin = end) {
      end = begin + 1;
      while (end < items.size() && items[end].step == items[begin].step) ++end;
      add_passes(timeline.rank, items.subspan(begin, end - begin));
    }
  }

  void add_passes(const AscendRank& rank, std::span<const AscendItem> items) {
    const AscendPasses found =
        ascend_passes(items, rank.pipeline_rank == 0, rank.pipeline_rank + 1 == rank.pipeline_ranks);
    std::size_t forwards = 0;
    for (const AscendPass& pass : found.passes) {
      AscendItem whole = items[pass.first];
      whole.end_ns = pass.end_ns;
      whole.name = naming_.names[pass.forward ? "forward" : "backward"];
      whole.stream = 0;
      add(rank, whole, pass.forward ? TraceKind::Forward : TraceKind::Backward, pass.microbatch);
      forwards += pass.forward ? 1 : 0;
      tally_.splits += pass.split_here ? 1 : 0;
      tally_.seeded += pass.split_here && items[pass.first].sign == AscendSign::Seed ? 1 : 0;
    }
    for (const AscendTransfer& transfer : found.transfers)
      add(rank, items[transfer.item], transfer.kind, transfer.microbatch);
    tally_.passes += found.passes.size();
    tally_.unequal_steps += 2 * forwards == found.passes.size() ? 0 : 1;
    tally_.unused_messages += found.unused_messages;
    tally_.missing_messages += found.missing_messages;
  }

  void add(const AscendRank& rank, const AscendItem& item, TraceKind kind,
           std::uint32_t microbatch = kUnknown) {
    const auto pipeline_rank = static_cast<std::uint16_t>(rank.pipeline_rank);
    trace_.events.push_back({Seconds(static_cast<double>(item.start_ns - origin_ns_) * 1e-9),
                             Seconds(static_cast<double>(item.end_ns - item.start_ns) * 1e-9), item.step,
                             microbatch, item.name, static_cast<std::uint16_t>(rank.replica), pipeline_rank,
                             pipeline_rank, item.stream, kind});
  }

  void note(NoteKind kind, std::size_t count, std::string text) {
    if (count > 0) trace_.notes.push_back({kind, count, std::move(text)});
  }

  void add_notes() {
    note(NoteKind::Guessed, tally_.passes,
         "passes between messages: forward or backward by their kernels, microbatches by their order");
    note(NoteKind::Guessed, tally_.seeded,
         "boundaries between a forward and its backward on the last stage, where one value is filled before "
         "the first kernel of a gradient");
    note(
        NoteKind::Guessed, tally_.splits - tally_.seeded,
        "boundaries between a forward and its backward on the last stage, at the first kernel of a gradient");
    note(NoteKind::Dropped, tally_.unused_messages, "messages that no pass sends or receives");
    note(NoteKind::Missing, tally_.missing_messages, "messages that a pass sends or receives");
    note(NoteKind::Dropped, tally_.undirected_messages,
         "messages of devices without kernels, whose direction is unknown");
    note(NoteKind::Differs, tally_.unequal_steps,
         "steps of a device with unequal numbers of forwards and backwards");
  }

  const std::vector<AscendTimeline>& timelines_;
  AscendNaming naming_;
  Trace trace_;
  EventTally tally_;
  std::int64_t origin_ns_ = 0;
};

}  // namespace

Trace ascend_trace(const std::vector<AscendTimeline>& timelines, AscendNaming naming,
                   std::vector<std::string> files, std::vector<Note> notes) {
  return FolderTrace(timelines, std::move(naming)).run(std::move(files), std::move(notes));
}

}  // namespace spillway
