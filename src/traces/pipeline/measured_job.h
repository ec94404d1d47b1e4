// From a trace to the job that it shows.
#pragma once

#include <string>
#include <vector>

#include "derive/derive.h"
#include "traces/files/note.h"
#include "traces/pipeline/pipeline.h"

namespace spillway {

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
