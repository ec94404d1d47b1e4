// The output of `execute`: the measured step beside the predicted one.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "execute/execution.h"
#include "program/program.h"

namespace spillway {

void write_execution(std::ostream& out, const Program& program, const PlayedProgram& execution);

// Returns the measured step beside the predicted one, in a sentence.
std::string verdict(const Program& program, const PlayedProgram& execution);

// Returns a document of spillway/execution/1 (`spillway schema execution`).
std::string execution_json(const Program& program, const PlayedProgram& execution);

}  // namespace spillway
