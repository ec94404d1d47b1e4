// From a trace to the job that it shows.
#pragma once

#include <string>

#include "measured/trace_experiment.h"

namespace spillway {

// Reads the trace and finds its pipeline, its schedule and how it transfers; named after the file. Throws
// InputError as read_trace and measured_pipeline do.
MeasuredJob measured_job(const std::string& path);

}  // namespace spillway
