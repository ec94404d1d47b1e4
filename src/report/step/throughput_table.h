// How well a step uses its devices, and what it costs.
#pragma once

#include <cstddef>
#include <string>

#include "evaluate/evaluation.h"

namespace spillway {

// A line per schedule, means over the draws, and how model FLOPs and tokens are counted, in lines of at most
// `columns` characters. Nothing where durations are given.
std::string throughput_table(const Evaluation& evaluation, std::size_t columns);

}  // namespace spillway
