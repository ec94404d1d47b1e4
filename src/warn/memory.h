// The limit of memory, in sentences.
#pragma once

#include <string>
#include <vector>

#include "base/warning.h"
#include "evaluate/evaluation.h"

namespace spillway {

// "the accelerator's 64 GB", "the limit of 64 GB".
std::string limit_text(const MemoryLimit& limit);

// "does-not-fit" if a draw of the schedule needs more memory than the limit.
std::vector<Warning> memory_warnings(const Evaluation& evaluation, const ScheduleResult& schedule);

}  // namespace spillway
