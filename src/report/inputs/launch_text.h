// The output of `spillway import` for a launch script.
#pragma once

#include <string>

#include "launch/import.h"

namespace spillway {

// What was understood, what changes nothing, and every argument that was not understood.
std::string launch_text(const LaunchImport& launch);

// One document, ended by a newline: { "schema": "spillway/launch/1", "framework", "program", "line",
// "layout", "document": an experiment or a table, "architecture": a config.json or null, "read": [ { "line",
// "argument", "file" of another than the script } ], "idle": [ ... ], "not_understood": [ ... ], "notes": [ {
// "line", "note" } ], "assumptions": [ ... ] }.
std::string launch_json(const LaunchImport& launch);

}  // namespace spillway
