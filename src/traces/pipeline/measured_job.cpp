#include "traces/pipeline/measured_job.h"

#include <filesystem>
#include <utility>

#include "traces/formats/read_trace.h"
#include "traces/pipeline/transfer_mode.h"

namespace spillway {

MeasuredJob measured_job(const std::string& path) {
  Trace trace = read_trace(path);
  MeasuredPipeline pipeline = measured_pipeline(trace);
  ScheduleMatch match = match_schedule(pipeline);
  TransferMode transfers = transfer_mode(pipeline);
  std::vector<Note> notes = std::move(trace.notes);
  for (const auto* more : {&match.differences, &transfers.notes})
    notes.insert(notes.end(), more->begin(), more->end());
  return {std::filesystem::path(path).stem().string(), std::move(pipeline), std::move(match),
          transfers.point_to_point, std::move(notes)};
}

}  // namespace spillway
