// What is printed when a sweep is done.
#pragma once

#include <cstddef>
#include <iosfwd>

#include "sweep/grid/file.h"
#include "sweep/store/result_store.h"

namespace spillway {

// The results in a few lines, what was assumed, how many points this run computed, and what can be done with
// the store.
void print_sweep_end(std::ostream& out, const SweepFile& file, const ResultStore& store,
                     std::size_t computed);

}  // namespace spillway
