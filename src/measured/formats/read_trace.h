// From a file or folder to a Trace, whatever its format: looked at, never told.
#pragma once

#include <string>

#include "measured/trace/trace.h"

namespace spillway {

// Formats and how they are told apart: README, "Measured data". Throws InputError, file and line or offset
// named, where the format is none of ours or the file is broken beyond use (a truncated archive, no events).
Trace read_trace(const std::string& path);

// Whether the file is one of the traces that are CSV. Throws InputError where it cannot be read.
bool is_trace_csv(const std::string& path);

}  // namespace spillway
