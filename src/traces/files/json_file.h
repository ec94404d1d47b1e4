// A JSON file that is small enough to be held whole. Private to src/traces.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace spillway {

// With the members of objects in the file's order. Throws InputError where the file cannot be read, is no
// JSON (the byte is named), is too large or nested too deep, or has a number that does not fit. Gzipped or
// not.
nlohmann::ordered_json read_json_file(const std::string& path);

}  // namespace spillway
