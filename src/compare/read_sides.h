// Two files or documents as sides of a comparison. Private to src/compare.
#pragma once

#include <string>
#include <utility>

#include "compare/side.h"
#include "evaluate/engines.h"
#include "evaluate/evaluation.h"
#include "json/source.h"

namespace spillway {

// Which of the two kinds a file is follows from what is in it: a document of ours says so, a folder may hold
// the report.json that `run --out` writes, everything else is read as a trace. Beside a report an experiment
// is evaluated by the report's engines and read as the report that `run` would print of it. Throws InputError
// where a file is none of the three.
std::pair<Side, Side> read_sides(const Source& a, const Source& b);

// `document` as read from `file`; `evaluation` is of it, by the longest path alone.
Side experiment_side(const std::string& file, Node document, Evaluation evaluation);

// Throws InputError with every violation: another document, another version, schedules without a makespan,
// ranks that do not add up to it.
Side report_side(const std::string& file, const Node& document);

// The engines whose makespans a report has. Contract: report_side reads it.
Engines engines_of(const Node& report);

// Throws InputError as validate does.
Side trace_side(const std::string& path);

}  // namespace spillway
