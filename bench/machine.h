// The machine that a benchmark ran on, and how fast its memory is.
#pragma once

#include <string>

namespace spillway::bench {

// Processor, cores, the widest vectors that the loops use, caches as the system tells them.
std::string machine();

// Bytes a second of one core that reads an array, the fastest of a few passes.
double read_bandwidth(std::size_t bytes);

// Of this process, so that what else runs on the machine counts less.
double cpu_seconds();

}  // namespace spillway::bench
