// Reads profiles of PyTorch (Kineto): {"schemaVersion", "distributedInfo", "traceEvents": [...]}, one file
// per process, times in microseconds. Format: https://github.com/pytorch/kineto, output_json.cpp. Names of
// pipeline ranges: torch/distributed/pipelining/schedules.py. Private to src/traces.
#pragma once

#include <string>
#include <vector>

#include "traces/events/trace.h"

namespace spillway {

// Kernels and copies keep their stream. Communication kernels become collectives. Annotations that name a
// step of a pipeline schedule become its computing or transfer; others stay annotations. If the file has the
// device's ranges of such steps, the host's are dropped, because a host finishes before its device. Ranges of
// the device on several streams become one. Operators and calls of the host, and flows, are dropped and
// counted. If no range of the device names a pass, kernels whose args name one replace the ranges
// (kineto_file.cpp). Steps are ProfilerStep#N, and an event belongs to the step that began last. Without such
// marks, a repeated pass belongs to the next step (pass_repeats.h). The clocks of several files are not
// aligned; they count from the first file's baseTimeNanoseconds. Throws InputError as read_json_events does,
// and if no file holds a kernel or an annotation.
Trace read_kineto(const std::vector<std::string>& paths);

// Returns the path, or the files of the folder, if PyTorch wrote them; empty for any other file or folder.
// Throws InputError as event_format_of() does.
std::vector<std::string> kineto_files(const std::string& path);

}  // namespace spillway
