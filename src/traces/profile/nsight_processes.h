// Reports of Nsight Systems as the events of processes. Private to src/traces.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "traces/profile/process_events.h"

namespace spillway {

// The processes of a report as SQLite, or of a folder with reports, in the order of their files and starts.
// NVTX ranges number steps and name the optimizer as PyTorch's do. Work is of a backward if autograd's engine
// launched it: in its ranges (emit_nvtx), or on a thread that PyTorch named pt_autograd. Empty for other
// files. Returns nothing if a range names a pass of a pipeline: then read_trace() reads it. Throws InputError
// for broken reports, and for one without kernels.
std::optional<std::vector<ProcessEvents>> nsight_processes(const std::string& path);

}  // namespace spillway
