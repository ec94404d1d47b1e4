// One clock per replica out of its ranks' clocks. Private to src/traces.
//
// What a rank takes from a neighbour it cannot have before the neighbour made it. With o the seconds that are
// added to a rank's clock, each transfer from rank a to rank b says
//
//   o[b] - o[a] >= (when a had it ready) - (when b used it)
//
// ready: the later of the producing pass's end and the send's start; used: the earlier of the consuming
// pass's start and the receive's end. Activations bound the difference from one side and gradients from the
// other, so it lies in an interval as wide as the two fastest transfers of the pair together: a millisecond
// or so, whatever the ranks waited for otherwise. No more is known: how long each of the two took cannot be
// told from where the clocks stand.
//
// Rank 0's clock stays. The others follow over the pairs with the narrowest intervals: a clock that breaks
// nothing is left alone; else the middle of the interval is taken, which is right where transfers take the
// same time both ways (as NTP has it: Mills, RFC 5905). Where no difference keeps every transfer after its
// cause, because clocks drift or a time is off, the median by which the two ends of a transfer differ is
// taken, since both ends of a transfer end together but for its tail, and the rest is noted. On the straggler
// traces every interval holds 0 with at least 0.2 ms to either side, and the medians by which ends differ are
// at most 0.12 ms, single ones 2.6 ms: those clocks are left as they are.
#pragma once

#include <vector>

#include "traces/files/note.h"
#include "traces/pipeline/pipeline.h"
#include "traces/pipeline/pipeline_shape.h"

namespace spillway {

struct ClockAlignment {
  std::vector<Seconds> offsets;  // to be added: [replica * ranks + rank]; 0 where nothing is known
  std::vector<Note> notes;
};

// Replicas are not aligned with each other: nothing goes between them that a pipeline waits for. Linear in
// the transfers, O(n log n) in the ranks.
ClockAlignment align_clocks(const std::vector<MeasuredStep>& steps, const PipelineShape& shape);

// The step with its ranks' offsets added to every time. `offsets` are those of all replicas.
void add_offsets(MeasuredStep& step, const PipelineShape& shape, const std::vector<Seconds>& offsets);

}  // namespace spillway
