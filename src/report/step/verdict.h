// The answer of a run in one sentence: the first line for the terminal, the head of the page.
#pragma once

#include <string>

#include "evaluate/evaluation.h"

namespace spillway {

// "mpipe takes 14.10 s a step, 1.111x faster than balanced [1.105, 1.117], the fastest plain
// pipeline, and 1.153x faster than disttrain-like [1.150, 1.156]; fits 64 GB; evidence: fitted 67 %,
// derived 15 %, assumed 13 %". Of the schedules that fit and are ranked the fastest, in the mean over the
// draws, held against the fastest plain pipeline (evaluate/steps.h), or, where it is one itself, against the
// next of the experiment's own; and against the baseline. Where one side splits its layers by count and the
// other does not, what both give with the count replaced by what layers take is said behind. Brackets hold 95
// % intervals of the mean over draws: where they hold 1 the two cannot be told apart. No line break.
std::string verdict(const Evaluation& evaluation);

}  // namespace spillway
