// What each schedule's critical path is made of, side by side: why one is faster than another.
#pragma once

#include <string>

#include "evaluate/evaluation.h"
#include "words/duration_text.h"

namespace spillway {

// The first draw by the longest path, times in `unit`; each line's parts add up to its longest path, but for
// the last two, which are what of the computing is collectives inside passes, and what is computed again.
std::string critical_path_table(const Evaluation& evaluation, TimeUnit unit);

}  // namespace spillway
