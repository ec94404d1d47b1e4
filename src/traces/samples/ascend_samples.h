// Reads folders of the Ascend profiler as Samples.
#pragma once

#include <string>

#include "traces/samples/samples.h"

namespace spillway {

// Accepts the paths of read_ascend_folder and reads every device.
//
// Messages are the transits of each batched send and receive (communication.json), and of each collective
// among two devices, according to the files' groups. Times are those of the transit alone, without waiting
// for the other device and without the local sum. The bytes that came into the device give the vector's
// bytes: they are half of it in an all-gather and a reduce-scatter, and all of it in an all-reduce. Among
// more than two devices they depend on the algorithm, so these collectives are dropped and counted.
//
// GEMMs are products of two BF16 matrices (kernel_details.csv, Type MatMul...). m and n are those of the
// output. k is the other side of the first operand, so transpositions need not be known. Each m, n, k has one
// row, with the median of its kernels. Operands in blocked formats are dropped and counted.
//
// Throws InputError if a file is broken or none of it is a measurement.
Samples read_ascend_samples(const std::string& path);

}  // namespace spillway
