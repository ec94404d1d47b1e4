// Times of single operators from CSV files, gzipped or not, whoever measured them.
//
// The header names the columns, in any order; columns that are not named here are not looked at.
//   products        m, n, k
//   attention       batch_size (or batch), isl (or length), num_heads (or heads), head_dim: without a mask,
//                   forward, a key-value head per head, as aiconfigurator sweeps encoders
//   their time      latency or time, with its unit: latency_ms, time_us, time_s, ...
//   of the machine  device, kernel_source, optional
// as well as the tables of input/platform/operator_table.h. Sizes are positive whole numbers. Lines that
// begin with # and blank ones are remarks.
#pragma once

#include <string>

#include "traces/samples/samples.h"

namespace spillway {

// Whether the file's header has the sizes of an operator. Throws InputError where there is no header.
bool is_operator_csv(const std::string& path);

// Throws InputError with every violation, each with its line; of more than twenty the rest are counted.
Samples read_operator_csv(const std::string& path);

}  // namespace spillway
