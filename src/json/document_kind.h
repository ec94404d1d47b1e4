// Detects documents of a wrong kind.
#pragma once

#include <string_view>

#include "base/findings.h"
#include "json/node.h"

namespace spillway {

// Returns true if the document is certainly not of `kind` ("experiment", "sweep", ...). It then adds one
// finding that says what the document is and which command takes it; readers need not check further. It
// decides by the schema, or by keys of other programs' files (a model's configuration, a trace).
bool is_another_kind(const Node& document, std::string_view kind, Findings& findings);

}  // namespace spillway
