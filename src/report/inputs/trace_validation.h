// A trace compared with its replays: text for people, spillway/validation/1 for programs.
#pragma once

#include <ostream>
#include <string>

#include "validate/validation.h"

namespace spillway {

// Returns the answer in a sentence: the error of the trace's replay.
std::string verdict(const Validation& validation);

// Writes the kind of trace, the errors of each replay, and the cases with the largest errors. Then it writes
// the parts of each rank's span with the errors of the replay and of the model, and the data that were
// dropped, guessed or missing.
void write_trace_validation(std::ostream& out, const Validation& validation);

// Returns one JSON document in seconds, ended by a newline. The same validation gives the same bytes.
std::string trace_validation_json(const Validation& validation);

}  // namespace spillway
