// The keys of a schema, and the words of each, that documents use. A use is named by its place in the schema:
// "#/definitions/given/properties/network", "...=blocking" of a word, ".../anyOf/1" of a form. Private to
// tests/laws.
#pragma once

#include <set>
#include <string>

#include "documents.h"

namespace spillway::testing {

using Uses = std::set<std::string>;

// Returns all uses that documents of this schema may make.
Uses keys_of(const Json& schema);
// Returns the uses of this document. Contract: the schema accepts it.
Uses keys_of(const Json& schema, const Json& document);

}  // namespace spillway::testing
