// A field of a comma-separated file (RFC 4180).
#pragma once

#include <string>
#include <string_view>

namespace spillway {

// In quotes where it has a comma, a quote or a line break.
inline std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += c;
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace spillway
