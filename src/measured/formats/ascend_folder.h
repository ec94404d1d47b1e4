// Folders of the Ascend profiler (torch_npu, msprof) to a Trace.
#pragma once

#include <string>

#include "measured/trace/trace.h"

namespace spillway {

// Whether the path is a folder that read_ascend_folder takes.
bool is_ascend_folder(const std::string& path);

// `path` holds folders "..._ascend_pt", is one, or is an ASCEND_PROFILER_OUTPUT. Read are kernel_details.csv,
// communication.json, step_trace_time.csv and profiler_metadata.json; pipeline ranks and replicas are those
// of the metadata, of devices that share a stage the first. Kernels and collectives become events as they
// are. Forward and backward passes and the direction of messages are inferred from the kernels
// (measured/formats/ascend_passes.h) and noted as guessed. A device without kernel_details.csv has
// collectives alone: its messages do not say their direction.
//
// Formats as Ascend/msinsight's example of CANN 8.3.RC1 has them. Throws InputError where the path is none of
// these, no device has an event, a file is broken, a rank has two folders, or stages are interleaved.
Trace read_ascend_folder(const std::string& path);

}  // namespace spillway
