// A trace held against its replays: text for people, spillway/validation/1 for programs.
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

// One JSON document, seconds, ended by a newline. Same validation, same bytes.
std::string trace_validation_json(const Validation& validation);

}  // namespace spillway
