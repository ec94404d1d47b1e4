// Many numbers in a page's data: whole numbers as bytes, in base64. Private to src/report.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

// RFC 4648, section 4.
std::string base64(std::string_view bytes);

// { "bits": 8, 16 or 32, "base64": ... }: little-endian, as few bits as the largest value needs.
nlohmann::ordered_json column(const std::vector<std::uint32_t>& values);

}  // namespace spillway
