// Does a transfer occupy its sender? What a trace shows of it.
#pragma once

#include <cstddef>
#include <vector>

#include "derive/derive.h"
#include "traces/files/note.h"
#include "traces/pipeline/pipeline.h"

namespace spillway {

// Of all the time in which something is sent, the share in which its sender computes. Where transfers block
// there is none; a sender that goes on at once computes through most of it. Overlapped where more than a
// tenth of it is computed through, and where the trace shows no sends, which `notes` then say.
struct TransferMode {
  PointToPoint point_to_point;
  std::size_t sends;
  double computing_share;
  std::vector<Note> notes;
};

TransferMode transfer_mode(const MeasuredPipeline& pipeline);

}  // namespace spillway
