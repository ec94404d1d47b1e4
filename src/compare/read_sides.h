// Reads two files or documents as the sides of a comparison. Private to src/compare.
#pragma once

#include <string>
#include <utility>

#include "compare/side.h"
#include "evaluate/engines.h"
#include "evaluate/evaluation.h"
#include "json/source.h"

namespace spillway {

// The content of a file determines its kind. A document of Spillway has a schema or is an experiment. A
// folder may hold the report.json that `run --out` writes. Anything else is read as a trace. If the other
// side is a report, an experiment is evaluated by the report's engines and read as the report that `run`
// would print. Throws InputError if a file is none of the three.
std::pair<Side, Side> read_sides(const Source& a, const Source& b);

// Returns an experiment as a side. `document` was read from `file`. `evaluation` is its evaluation by the
// longest path alone.
Side experiment_side(const std::string& file, Node document, Evaluation evaluation);

// Returns a report as a side. Throws InputError with every violation: another kind of document, another
// version, schedules without a makespan, ranks whose times do not add up to it.
Side report_side(const std::string& file, const Node& document);

// Returns the engines whose makespans a report has. Contract: report_side() accepts the report.
Engines engines_of(const Node& report);

// Returns a measured trace as a side. Throws InputError as validate does.
Side trace_side(const std::string& path);

}  // namespace spillway
