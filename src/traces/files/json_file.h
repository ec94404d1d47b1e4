// Reads a JSON file that is small enough to hold in memory. Private to src/traces.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace spillway {

// Reads a plain or gzipped file and keeps the order of members. Throws InputError if the file cannot be read,
// is no JSON (the error names the byte), is too large or too deeply nested, or has a number that does not
// fit.
nlohmann::ordered_json read_json_file(const std::string& path);

}  // namespace spillway
