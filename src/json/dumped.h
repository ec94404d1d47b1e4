// Converts nlohmann's JSON values to text and back, and compares JSON texts. They share one object file,
// because the library's parser and writer take long to compile.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace spillway {

// Invalid UTF-8 in a value (a file's name, a row of a trace) becomes U+FFFD, so that writing never throws.
std::string dumped(const nlohmann::ordered_json& json, int indent = -1);

// Parses a text that `dumped` wrote; members keep their order.
nlohmann::ordered_json undumped(const std::string& text);

bool is_json(std::string_view text);

// Returns true if two JSON texts have the same value; the order of members does not matter. Contract: both
// are JSON.
bool same_json(const std::string& a, const std::string& b);

}  // namespace spillway
