// Folders of the Ascend profiler to Samples.
#pragma once

#include <string>

#include "traces/samples/samples.h"

namespace spillway {

// Paths as of read_ascend_folder, every device read.
//
// Messages: each batched send and receive's transits (communication.json), and each collective's among two
// devices, as the files' groups have it. Times are of the transit alone: waiting for the other device and the
// local sum are not in it. The vector's bytes follow from those that came into the device: a half of it in an
// all-gather and a reduce-scatter, all of it in an all-reduce. Among more than two devices they do not,
// without knowing the algorithm; these are dropped and counted.
//
// GEMMs: products of two BF16 matrices (kernel_details.csv, Type MatMul...), m and n those of the output, k
// what remains of the first operand, so that no transposition need be told. One row for each m, n, k: the
// median of its kernels. Operands in blocked formats are dropped and counted.
//
// Throws InputError where a file is broken or none of it is a measurement.
Samples read_ascend_samples(const std::string& path);

}  // namespace spillway
