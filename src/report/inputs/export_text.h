// The output of `spillway export`.
#pragma once

#include <string>
#include <vector>

#include "launch/write/frameworks.h"

namespace spillway {

// One framework: its files, each behind its name if there are several, and remarks as comments before them.
// Several: a line or more for each, with its arguments or the reasons why it has none, and `instead`:
// schedules that have a launch where this one has none.
std::string export_text(const std::vector<ExportedLaunch>& launches, const std::vector<std::string>& instead);

// { "schema": "spillway/launches/1", "experiment", "schedule", "launches": [ { "name", "launch", "reasons" }
// ], "instead" } (spillway schema launches): launch as launch_document() has it, or null with the reasons.
// Ended by a newline.
std::string export_json(const std::string& experiment, const std::string& schedule,
                        const std::vector<ExportedLaunch>& launches, const std::vector<std::string>& instead);

}  // namespace spillway
