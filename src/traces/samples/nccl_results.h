// Reads the JSON that nccl-tests writes beside its table (-J FILE, src/util.cu of NVIDIA/nccl-tests 2.19):
//
//   {"version": 3, "start_time", "args": [program, ...], "env", "nccl_version",
//    "config": {"nthreads", "ngpus", "devices": [{"rank", "hostname"}], ...},    the first device of a
//    process "results": [{"size", "count", "type", "out_of_place": {"time", "alg_bw", "bus_bw", "nwrong"}}]}
#pragma once

#include <string>
#include <string_view>

#include "traces/samples/samples.h"

namespace spillway {

// Returns true for the beginning of such a file.
bool begins_nccl_results(std::string_view bytes);

// Reads it as the table is read. Throws InputError.
Samples read_nccl_results(const std::string& path, const TimedGroup& given);

}  // namespace spillway
