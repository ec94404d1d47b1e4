// Whether a text is JSON as documents here have to be.
#pragma once

#include <string>
#include <string_view>

namespace spillway {

// The text of a file, checked. Throws InputError where there is no such file, too.
std::string read_json_text(const std::string& path);

// Throws InputError, by line and column where it is no JSON, by pointer where a key comes twice. For
// documents that are changed before they are read; `file` names them.
void check_json(std::string_view text, const std::string& file);

}  // namespace spillway
