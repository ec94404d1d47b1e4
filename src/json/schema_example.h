// Makes a document that a schema describes, with the schema's own words beside its numbers: a file to begin
// with.
//
// The schema states example values where a file needs one ("examples", as JSON Schema has them). An object
// gets the keys that are required and those below which there are examples; a list gets an item for each
// example of its item's first key. A figure (value, kind, source) is "assumed", and its source is its
// description. Numbers that are no figures are explained at the end of the document's note. No second list of
// keys exists, so a key that the schema gains is in the example.
#pragma once

#include <string>
#include <string_view>

namespace spillway {

// Returns the JSON text of an example of the schema, whose `name` is `name`; it ends with a newline. Returns
// an empty text if the schema has no examples. Contract: `schema` is one of json_schema's (json/schema.h).
std::string schema_example(std::string_view schema, const std::string& name);

}  // namespace spillway
