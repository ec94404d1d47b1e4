// Documents as text: whether it is JSON as they have to be, and what settings make of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/settings.h"
#include "json/source.h"

namespace spillway {

// The text, checked. Throws InputError where there is no such file, too.
std::string read_json_text(const Source& source);

// Throws InputError, by line and column where it is no JSON, by pointer where a key comes twice. For
// documents that are changed before they are read; `file` names them.
void check_json(std::string_view text, const std::string& file);

// Does the text look like a document of ours: is "schema": "spillway/... in it somewhere? For the first part
// of a file of whatever kind; takes time in proportion to the text.
bool names_our_schema(std::string_view text);

// The document with the settings written into it. Throws InputError where one cannot be.
std::string with_settings(std::string_view text, const std::string& file,
                          const std::vector<Setting>& settings);

// JSON as Python's json module and editors take it, to JSON: Infinity, -Infinity and NaN, which it writes for
// such numbers, become texts of the same name; // and /* */ comments become blanks. Lines stay where they
// are.
std::string strict_json(std::string_view text);

}  // namespace spillway
