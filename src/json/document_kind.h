// Documents given where another kind is wanted.
#pragma once

#include <string_view>

#include "base/findings.h"
#include "json/node.h"

namespace spillway {

// Whether the document is known to be none of the kind ("experiment", "sweep", ...); what it is, and what
// takes it, is then a finding, and nothing more needs to be said of it. By its schema, or by keys that
// others' files have: a model's configuration, a trace.
bool is_another_kind(const Node& document, std::string_view kind, Findings& findings);

}  // namespace spillway
