// The JSON Schemas (draft-07) of the documents that users write and read. They are compiled into the program.
#pragma once

#include <optional>
#include <string_view>

namespace spillway {

// Kinds: cases, check, comparison, derivation, execution, experiment, explanation, framework, known-errors,
// layout-explanation, plan, plans, platform, profile, program, report, step-log, support, sweep, synthesis,
// twin, validation, validation-cases, validation-tables. Returns nothing for any other kind.
std::optional<std::string_view> json_schema(std::string_view kind);

}  // namespace spillway
