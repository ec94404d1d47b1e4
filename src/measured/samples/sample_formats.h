// Readers of single measurements, one file each. All throw InputError with the rows that will not do: the
// first twenty, the others counted. Private to src/measured.
#pragma once

#include <string>

#include "measured/samples/samples.h"

namespace spillway {

// microsoft/vidur, data/profiling/network/*/{all_reduce,send_recv}.csv: size in bytes, the median of several
// runs in ms (time_stats.<collective>.median), num_workers devices, devices_per_node of them on each node.
Samples read_vidur_csv(const std::string& path);

// ai-dynamo/aiconfigurator, systems/data/*/nccl/*/nccl_perf: message_size in elements of the whole vector,
// latency in ms, num_gpus devices, taken to be in one node. Rows of another type than 16-bit floats are
// dropped, and counted: jobs here send BF16.
Samples read_aiconfigurator_csv(const std::string& path);

// The text that NVIDIA/nccl-tests' programs print (doc/PERFORMANCE.md and the programs' own output): the
// out-of-place times. Operation and devices come from the banner, or from comment lines (MessageHeader); the
// devices, where neither says, from bus over algorithm bandwidth. Sizes are the program's own: the gathered
// or not yet scattered vector, what a device holds before an all-to-all.
Samples read_nccl_tests_text(const std::string& path);

// The text that Huawei's HCCL Performance Tester prints, from its documentation (CANN, "HCCL Performance
// Tester", result description) and not yet seen on real output: data_size(Bytes), aveg_time(us). It names
// neither operation nor devices: comment lines have to (MessageHeader), or the file's name the operation.
Samples read_hccl_test_text(const std::string& path);

// Columns size_<unit> and time_<unit>, and any of operation, devices, neighbours. Units: B, bytes, kB, KiB,
// MB, MiB, GB, GiB; s, ms, us, ns. What no column says, comment lines may (MessageHeader); an operation that
// nobody names is a message between two devices of a node, noted as a guess.
Samples read_message_csv(const std::string& path);

}  // namespace spillway
