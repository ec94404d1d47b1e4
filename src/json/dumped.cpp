#include "json/dumped.h"

#include <nlohmann/json.hpp>

namespace spillway {

std::string dumped(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

nlohmann::ordered_json undumped(const std::string& text) {
  return nlohmann::ordered_json::parse(text);
}

bool is_json(std::string_view text) {
  return nlohmann::json::accept(text);
}

bool same_json(const std::string& a, const std::string& b) {
  return nlohmann::json::parse(a) == nlohmann::json::parse(b);
}

}  // namespace spillway
