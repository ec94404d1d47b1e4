// A report as a side of a comparison. Private to src/compare.
#pragma once

#include <string>

#include "compare/side.h"
#include "evaluate/engines.h"

namespace spillway {

// Throws InputError with every violation: another document, another version, schedules without a makespan,
// ranks that do not add up to it.
Side report_side(const std::string& file, const Node& document);

// The engines whose makespans a report has. Contract: report_side reads it.
Engines engines_of(const Node& report);

}  // namespace spillway
