// Reads folders of the Ascend profiler (torch_npu, msprof) as a Trace.
//
// The path holds folders "..._ascend_pt", is one, or is an ASCEND_PROFILER_OUTPUT. The reader uses
// kernel_details.csv, communication.json, step_trace_time.csv and profiler_metadata.json. The metadata give
// pipeline ranks and replicas. Only the first of the devices that share a stage is read. Kernels and
// collectives become events unchanged. Forward and backward passes and the direction of messages are inferred
// from the kernels (traces/ascend/ascend_passes.h) and noted as guessed. A device without kernel_details.csv
// has only collectives, because its messages do not state their direction.
//
// The format follows Ascend/msinsight's example of CANN 8.3.RC1. The reader refuses folders without an event,
// broken files, a rank with two folders, and interleaved stages.

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "traces/ascend/ascend_check.h"
#include "traces/ascend/ascend_events.h"
#include "traces/ascend/ascend_timeline.h"
#include "traces/formats/trace_formats.h"

namespace spillway {
namespace {

// Keeps the first device of each stage, and adds notes on the others.
std::vector<AscendRank> one_of_each_stage(const std::vector<AscendRank>& ranks, std::vector<Note>& notes) {
  std::vector<AscendRank> kept;
  std::size_t unknown = 0;
  for (const AscendRank& rank : ranks) {
    unknown += rank.known ? 0 : 1;
    if (rank.first_of_stage) kept.push_back(rank);
  }
  if (kept.size() < ranks.size())
    notes.push_back({NoteKind::Dropped, ranks.size() - kept.size(),
                     "devices in the same stage as another one, by tensor or context parallelism"});
  if (unknown > 0)
    notes.push_back(
        {NoteKind::Missing, unknown,
         "profiler_metadata.json with distributed_args, so the devices have no place in a pipeline"});
  return kept;
}

void note_absent_ranks(const std::vector<AscendRank>& ranks, std::vector<Note>& notes) {
  std::size_t expected = 0;
  for (const AscendRank& rank : ranks)
    expected = std::max(expected, std::size_t{rank.pipeline_ranks} * rank.replicas);
  const AscendRank& first = ranks.front();
  notes.push_back({NoteKind::Read, ranks.size(),
                   "of " + std::to_string(expected) + " devices in " + std::to_string(first.pipeline_ranks) +
                       " pipeline ranks and " + std::to_string(first.replicas) + " replicas"});
  if (ranks.size() < expected)
    notes.push_back({NoteKind::Missing, expected - ranks.size(), "of these devices"});
}

void note_ranks_without_passes(const std::vector<AscendTimeline>& timelines, std::vector<Note>& notes) {
  std::size_t context = 0;
  std::size_t silent = 0;
  std::string named;
  for (const AscendTimeline& timeline : timelines) {
    context += timeline.rank.context_parallel ? 1 : 0;
    if (timeline.has_kernels) continue;
    ++silent;
    add_to_list(named, std::to_string(timeline.rank.world_rank));
  }
  if (silent > 0)
    notes.push_back({NoteKind::Missing, silent,
                     "kernel_details.csv (rank " + named + "), so these ranks have no passes"});
  if (context > 0)
    notes.push_back({NoteKind::Missing, context,
                     "passes of devices with context parallelism, whose attention also sends messages"});
}

Trace read_ascend_folder(const std::string& path) {
  std::vector<Note> notes;
  std::vector<std::string> files;
  AscendNaming naming;
  std::vector<AscendTimeline> timelines;
  const std::vector<AscendRank> ranks = one_of_each_stage(ascend_ranks(path), notes);
  if (ranks.empty())
    throw InputError({{path, "/", "the first of the devices that share a stage", "only others"}});
  note_absent_ranks(ranks, notes);
  for (const AscendRank& rank : ranks) timelines.push_back(ascend_timeline(rank, naming, files, notes));
  const bool none = std::all_of(timelines.begin(), timelines.end(),
                                [](const AscendTimeline& timeline) { return timeline.items.empty(); });
  if (none) throw InputError({{path, "/", "an event in a kernel_details.csv or communication.json", "none"}});
  note_ranks_without_passes(timelines, notes);
  Trace trace = ascend_trace(timelines, std::move(naming), std::move(files), std::move(notes));
  check_directions(trace, ranks);
  check_computing(trace, ranks);
  return trace;
}

}  // namespace

extern const FolderFormat kAscendFolder = {"an Ascend profiler", has_ascend_ranks, read_ascend_folder};

}  // namespace spillway
