// What systems come to and what they assume, for the terminal. Private to src/report/step.
#pragma once

#include <string>

#include "evaluate/evaluation.h"
#include "report/step/text.h"
#include "words/duration_text.h"

namespace spillway {

// A table of the systems, each over the balanced pipeline of the same body, draw by draw, and below which one
// that is and what each system rests on. Extra traffic: what leaves devices in the first draw beyond what
// does so in that pipeline. Planning: of a draw, in host time, where verbose. Empty where the experiment
// names no system.
std::string system_lines(const Evaluation& evaluation, TimeUnit unit, const TextStyle& style);

}  // namespace spillway
