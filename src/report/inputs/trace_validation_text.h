// A trace held against its replays, for people.
#pragma once

#include <ostream>
#include <string>

#include "validate/validation.h"

namespace spillway {

// The answer in a sentence: how far the replay of the trace is off.
std::string verdict(const Validation& validation);

// What the trace is; the errors of each replay; the cases that are off the most; where each rank's span goes,
// and by how much of it the replay, and the model's, differ; what was dropped, guessed or missing.
void write_trace_validation(std::ostream& out, const Validation& validation);

}  // namespace spillway
