// A column of whole numbers in a page's data, as bytes in base64. Private to src/report.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

// Returns the base64 text of RFC 4648, section 4.
std::string base64(std::string_view bytes);

// Returns { "bits": 8, 16 or 32, "base64": ... }, little-endian, with the fewest bits that the largest value
// fits.
nlohmann::ordered_json column(const std::vector<std::uint32_t>& values);

}  // namespace spillway
