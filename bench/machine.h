// The machine that a benchmark ran on, and how fast its memory is.
#pragma once

#include <string>

namespace spillway::bench {

// Returns the processor, cores, the widest vectors that the loops use, and caches as the system tells them.
std::string machine();

// Returns the bytes a second at which one core reads an array, in the fastest of a few passes.
double read_bandwidth(std::size_t bytes);

// Counts this process alone, so that what else runs on the machine counts less.
double cpu_seconds();

}  // namespace spillway::bench
