// The parts of each schedule's critical path, side by side. They show why one schedule is faster than
// another.
#pragma once

#include <string>

#include "evaluate/evaluation.h"
#include "words/duration_text.h"

namespace spillway {

// Times are in `unit`, for the first draw, by the longest path. The parts of a line add up to its longest
// path. The last two columns are no further parts: collectives inside passes and recomputation are within the
// passes.
std::string critical_path_table(const Evaluation& evaluation, TimeUnit unit);

}  // namespace spillway
