// Warnings for the terminal.
#pragma once

#include <cstddef>
#include <string>

#include "evaluate/evaluation.h"

namespace spillway {

// Those of all schedules, then each schedule's own under its name, in lines of at most `columns` characters.
// Nothing where there are none.
std::string warning_lines(const Evaluation& evaluation, std::size_t columns);

}  // namespace spillway
