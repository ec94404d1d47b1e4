// What systems come to and what they assume, for the terminal. Private to src/report/step.
#pragma once

#include <string>

#include "evaluate/evaluation.h"

namespace spillway {

// A table of the systems' speedups over the balanced pipeline of the same body, draw by draw, and what each
// rests on. Empty where the experiment names no system.
std::string system_lines(const Evaluation& evaluation, std::size_t columns);

}  // namespace spillway
