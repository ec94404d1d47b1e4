// Which keys of a schema, and which of their words, documents use. A use is named by its place in the schema:
// "#/definitions/given/properties/network", "...=blocking" of a word, ".../anyOf/1" of a form. Private to
// tests/laws.
#pragma once

#include <set>
#include <string>

#include "documents.h"

namespace spillway::testing {

using Uses = std::set<std::string>;

// All that documents of this schema may use.
Uses keys_of(const Json& schema);
// What this one does. Contract: the schema takes it.
Uses keys_of(const Json& schema, const Json& document);

}  // namespace spillway::testing
