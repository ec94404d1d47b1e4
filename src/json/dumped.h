// JSON values of nlohmann's library as text and back, and what texts of JSON say. In one object: its parser
// and its writer take as long to compile as all else that uses them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace spillway {

// What stands in a value and is no UTF-8 (a file's name, a row of a trace) becomes U+FFFD: writing never
// throws.
std::string dumped(const nlohmann::ordered_json& json, int indent = -1);

// A text that was dumped, read again: members stay in their order.
nlohmann::ordered_json undumped(const std::string& text);

bool is_json(std::string_view text);

// Whether two texts, both JSON, have the same value; members of objects in any order.
bool same_json(const std::string& a, const std::string& b);

}  // namespace spillway
