#include "report/page/column.h"

#include <algorithm>

namespace spillway {

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t taken = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < taken ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += k <= taken ? digits[group >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

nlohmann::ordered_json column(const std::vector<std::uint32_t>& values) {
  const std::uint32_t most = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  const unsigned bits = most < 1U << 8 ? 8 : most < 1U << 16 ? 16 : 32;
  std::string bytes;
  bytes.reserve(values.size() * bits / 8);
  for (const std::uint32_t value : values)
    for (unsigned shift = 0; shift < bits; shift += 8) bytes += static_cast<char>(value >> shift & 255U);
  return {{"bits", bits}, {"base64", base64(bytes)}};
}

}  // namespace spillway
