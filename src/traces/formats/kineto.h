// Profiles of PyTorch (Kineto): {"schemaVersion", "distributedInfo", "traceEvents": [...]}, one file per
// process, times in microseconds. Format: https://github.com/pytorch/kineto, output_json.cpp; names of
// pipeline ranges: torch/distributed/pipelining/schedules.py. Private to src/traces.
#pragma once

#include <string>
#include <vector>

#include "traces/events/trace.h"

namespace spillway {

// Kernels and copies with their stream, communication kernels as collectives, annotations; those that name a
// step of a pipeline schedule as its computing or transfer. Where the device's ranges of these are in the
// file, the host's are dropped, as a host is done before its device; the device's on several streams become
// one. Operators and calls of the host, and flows, are dropped and counted. Where no range
// of the device names a pass, kernels whose args do stand for them (kineto_file.cpp). Steps are
// ProfilerStep#N; a kernel is of the step that began last; without, a pass that comes again is of the next
// step (pass_repeats.h). The clocks of several files are taken as they are, counted from the first one's
// baseTimeNanoseconds. Throws InputError as read_json_events, and where no file holds a kernel or an
// annotation.
Trace read_kineto(const std::vector<std::string>& paths);

}  // namespace spillway
