// A trace held against its replays, for programs: spillway/validation/1.
#pragma once

#include <string>

#include "validate/validation.h"

namespace spillway {

// One JSON document, seconds, ended by a newline. Same validation, same bytes.
std::string trace_validation_json(const Validation& validation);

}  // namespace spillway
