// Finds the job that a trace shows: its pipeline, its schedule, and whether a transfer occupies its sender.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "derive/derive.h"
#include "traces/files/note.h"
#include "traces/pipeline/pipeline.h"

namespace spillway {

// `computing_share` is the time in which a sender computes while it sends, over all time of sending. Blocking
// transfers have a share of 0. A sender that continues at once computes during most of its sends. The mode is
// Overlapped if the share is above a tenth. It is also Overlapped if the trace shows no sends; `notes` then
// say so.
struct TransferMode {
  PointToPoint point_to_point;
  std::size_t sends;
  double computing_share;
  std::vector<Note> notes;
};

TransferMode transfer_mode(const MeasuredPipeline& pipeline);

// The job that a trace shows.
struct MeasuredJob {
  std::string name;  // of the experiment
  MeasuredPipeline pipeline;
  ScheduleMatch schedule;
  PointToPoint point_to_point;
  std::vector<Note> notes;  // on how the trace was read; without those in `pipeline`
};

// Reads the trace and finds its pipeline, its schedule and its transfer mode. The job is named after the
// file. Throws InputError as read_trace and measured_pipeline do.
MeasuredJob measured_job(const std::string& path);

}  // namespace spillway
