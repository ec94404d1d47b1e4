// A program as spillway/program/1, an action a line (`spillway schema program`).
#pragma once

#include <iosfwd>

#include "program/program.h"

namespace spillway {

// Takes time linear in the actions, and holds one of them as text at a time.
void write_program(std::ostream& out, const Program& program);

}  // namespace spillway
