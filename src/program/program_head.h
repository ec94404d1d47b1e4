// Reads what a program says beside its actions and samples. Private to src/program.
#pragma once

#include "json/place.h"
#include "program/program.h"
#include "program/program_parser.h"

namespace spillway {

inline constexpr const char* kProgramSchema = "spillway/program/1";

// Returns the program with `parsed`'s actions, samples and sizes. Where the head is wrong, the findings say
// so and the program is not complete.
Program read_head(const Place& root, ParsedProgram parsed);

}  // namespace spillway
