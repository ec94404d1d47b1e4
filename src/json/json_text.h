// Documents as text: checks that a text is JSON, and applies settings to it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/settings.h"
#include "json/source.h"

namespace spillway {

// Reads the text and checks it as check_json does. Throws InputError if the file is missing, too.
std::string read_json_text(const Source& source);

// Throws InputError if the text is not JSON (by line and column) or has a duplicate key (by pointer). Callers
// use it for documents that are changed before they are read. `file` names the text in messages.
void check_json(std::string_view text, const std::string& file);

// Returns true if the text contains "schema": "spillway/... anywhere, as our documents do. The text may be
// the first part of any file. Linear in the text.
bool names_our_schema(std::string_view text);

// Returns the document with the settings applied. Throws InputError if one cannot be applied.
std::string with_settings(std::string_view text, const std::string& file,
                          const std::vector<Setting>& settings);

// Converts JSON as Python's json module writes it and editors accept it into strict JSON. Infinity, -Infinity
// and NaN become texts of the same name; // and /* */ comments become blanks. Line numbers do not change.
std::string strict_json(std::string_view text);

}  // namespace spillway
