// What is printed when a sweep is done.
#pragma once

#include <iosfwd>

#include "spec/sweep_file.h"
#include "store/result_store.h"

namespace spillway {

// The results in a few lines, what was assumed, and what can be done with the store.
void print_sweep_end(std::ostream& out, const SweepFile& file, const ResultStore& store);

}  // namespace spillway
