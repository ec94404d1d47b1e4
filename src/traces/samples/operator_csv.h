// Reads times of single operators from CSV files, gzipped or not, from any source.
//
// The header names the columns, in any order. Other columns are ignored.
//   products        m, n, k
//   attention       batch_size (or batch), isl (or length), num_heads (or heads), head_dim: forward, without
//   a
//                   mask, with as many key-value heads as heads, as aiconfigurator sweeps encoders
//   their time      latency or time, with its unit: latency_ms, time_us, time_s, ...
//   the machine     device, kernel_source, optional
// The tables of input/platform/operator_table.h are read, too. Sizes are positive whole numbers. Blank lines
// and lines that begin with # are ignored.
#pragma once

#include <string>

#include "traces/samples/samples.h"

namespace spillway {

// Returns true if the file's header has the sizes of an operator. Throws InputError if there is no header.
bool is_operator_csv(const std::string& path);

// Throws InputError with the first twenty violations, each with its line, and the number of the others.
Samples read_operator_csv(const std::string& path);

}  // namespace spillway
