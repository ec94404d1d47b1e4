// From a trace to the job that it shows.
#pragma once

#include <cstddef>
#include <string>
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

// What was found out about a trace.
struct MeasuredJob {
  std::string name;  // of the experiment
  MeasuredPipeline pipeline;
  ScheduleMatch schedule;
  PointToPoint point_to_point;
  std::vector<Note> notes;  // on how the trace was read; the pipeline's own are not repeated
};

// Reads the trace and finds its pipeline, its schedule and how it transfers; named after the file. Throws
// InputError as read_trace and measured_pipeline do.
MeasuredJob measured_job(const std::string& path);

}  // namespace spillway
