// The answer of a run in one sentence. It is the first line on the terminal and the head of the page.
#pragma once

#include <string>

#include "evaluate/evaluation.h"

namespace spillway {

// Returns a sentence without a line break: "mpipe takes 14.10 s a step, 1.111x faster than balanced [1.105,
// 1.117], the fastest plain pipeline, and 1.153x faster than disttrain-like [1.150, 1.156]; fits 64 GB;
// evidence: fitted 67 %, derived 15 %, assumed 13 %". Its subject is the schedule with the least mean
// makespan among those that fit and are ranked. It is compared with the fastest plain pipeline
// (evaluate/steps.h) and with the baseline. If it is a plain pipeline itself, it is compared with the next of
// the experiment's own instead of the former. If only one of two compared schedules splits its layers by
// count, the sentence adds the comparison with layers split by time. Brackets hold 95 % intervals of the mean
// over draws. If an interval contains 1, the two schedules cannot be told apart. If the figure leaves a known
// class of error out (Warning::headline), the sentence ends with it.
std::string verdict(const Evaluation& evaluation);

}  // namespace spillway
