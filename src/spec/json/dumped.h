// JSON values of nlohmann's library as text.
#pragma once

#include <string>

namespace spillway {

// What stands in a value and is no UTF-8 (a file's name, a row of a trace) becomes U+FFFD: writing never
// throws.
template <class Json>
std::string dumped(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace spillway
