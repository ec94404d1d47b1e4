// Computes one clock per replica from the clocks of its ranks. Private to src/traces.
//
// A rank cannot use data before its neighbour has made it. Let o be the seconds that are added to a rank's
// clock. Each transfer from rank a to rank b then says
//
//   o[b] - o[a] >= (when a had it ready) - (when b used it)
//
// The data is ready at the later of the producing pass's end and the send's start. It is used at the earlier
// of the consuming pass's start and the receive's end. Activations bound the difference from one side and
// gradients from the other. The difference therefore lies in an interval as wide as the two fastest transfers
// of the pair together, about a millisecond, however long the ranks waited otherwise. The transfers say no
// more: the clocks do not show how long each of the two took.
//
// Rank 0's clock stays. The other clocks follow along the pairs with the narrowest intervals. A clock that
// breaks no bound is left alone. Otherwise the middle of the interval is taken, which is right if transfers
// take the same time both ways (as in NTP: Mills, RFC 5905). If clocks drift or a time is off, no difference
// may keep every transfer after its cause. Then the median difference between the two ends of a transfer is
// taken, because both ends finish together except for a tail, and a note reports the bounds that stay broken.
// On the straggler traces every interval holds 0 with at least 0.2 ms on either side. The median difference
// between ends is at most 0.12 ms there, a single one 2.6 ms, so those clocks are left as they are.
#pragma once

#include <vector>

#include "traces/files/note.h"
#include "traces/pipeline/pipeline.h"
#include "traces/pipeline/pipeline_shape.h"

namespace spillway {

struct ClockAlignment {
  std::vector<Seconds> offsets;  // added to each clock, [replica * ranks + rank]; 0 if nothing is known
  std::vector<Note> notes;
};

// Replicas are not aligned with each other, because a pipeline waits for nothing between them. Linear in the
// transfers, O(n log n) in the ranks.
ClockAlignment align_clocks(const std::vector<MeasuredStep>& steps, const PipelineShape& shape);

// Adds its ranks' offsets to every time of the step. `offsets` holds those of all replicas.
void add_offsets(MeasuredStep& step, const PipelineShape& shape, const std::vector<Seconds>& offsets);

}  // namespace spillway
