#include "input/images/image_header.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace spillway {
namespace {

enum class Ends { Big, Little };

// Returns the number in `count` bytes at `at`; 0 after the end.
std::uint32_t number(std::string_view head, std::size_t at, int count, Ends ends) {
  if (at + static_cast<std::size_t>(count) > head.size()) return 0;
  std::uint32_t value = 0;
  for (int i = 0; i < count; ++i) {
    const std::size_t byte = at + static_cast<std::size_t>(ends == Ends::Big ? i : count - 1 - i);
    value = value << 8 | static_cast<unsigned char>(head[byte]);
  }
  return value;
}

ImageSize png(std::string_view head) {
  return {number(head, 16, 4, Ends::Big), number(head, 20, 4, Ends::Big)};
}

ImageSize gif(std::string_view head) {
  return {number(head, 6, 2, Ends::Little), number(head, 8, 2, Ends::Little)};
}

// A negative height means that the image is stored from top to bottom.
ImageSize bmp(std::string_view head) {
  const auto height = static_cast<std::int32_t>(number(head, 22, 4, Ends::Little));
  return {number(head, 18, 4, Ends::Little), static_cast<std::uint32_t>(std::abs(std::int64_t{height}))};
}

ImageSize webp(std::string_view head) {
  const std::string_view chunk = head.substr(std::min<std::size_t>(12, head.size()), 4);
  if (chunk == "VP8X") return {number(head, 24, 3, Ends::Little) + 1, number(head, 27, 3, Ends::Little) + 1};
  if (chunk == "VP8 ")
    return {number(head, 26, 2, Ends::Little) & 0x3fff, number(head, 28, 2, Ends::Little) & 0x3fff};
  if (chunk != "VP8L") return {0, 0};
  const std::uint32_t bits = number(head, 21, 4, Ends::Little);
  return {(bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1};
}

// Accepts SOF0 to SOF15, but not DHT (c4), JPG (c8) and DAC (cc).
bool begins_frame(unsigned marker) {
  return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

// Walks the segments, each of which states its length.
ImageSize jpeg(std::string_view head) {
  for (std::size_t at = 2; at + 4 <= head.size();) {
    if (static_cast<unsigned char>(head[at]) != 0xff) return {0, 0};
    const unsigned marker = static_cast<unsigned char>(head[at + 1]);
    if (begins_frame(marker)) return {number(head, at + 7, 2, Ends::Big), number(head, at + 5, 2, Ends::Big)};
    const bool alone = marker == 0xff || marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    at += alone ? (marker == 0xff ? 1 : 2) : 2 + number(head, at + 2, 2, Ends::Big);
  }
  return {0, 0};
}

ImageSize size_of(std::string_view head) {
  if (head.starts_with("\x89PNG\r\n\x1a\n")) return png(head);
  if (head.starts_with("\xff\xd8\xff")) return jpeg(head);
  if (head.starts_with("GIF87a") || head.starts_with("GIF89a")) return gif(head);
  if (head.starts_with("RIFF") && head.substr(std::min<std::size_t>(8, head.size()), 4) == "WEBP")
    return webp(head);
  if (head.starts_with("BM")) return bmp(head);
  return {0, 0};
}

// Formats that are not read: sizes may be anywhere in the file (ISO/IEC 14496-12, 15444-1, 18181-2), or few
// train on them. AppleDouble files are what macOS puts beside each file of an archive, as ._NAME.
struct Signature {
  std::string_view format, begins;
};
constexpr std::array<Signature, 7> kUnread = {{{"JPEG XL", {"\0\0\0\x0cJXL ", 8}},
                                               {"JPEG XL", "\xff\x0a"},
                                               {"JPEG 2000", {"\0\0\0\x0cjP  ", 8}},
                                               {"JPEG 2000", "\xff\x4f\xff\x51"},
                                               {"Photoshop", "8BPS"},
                                               {"Parquet", "PAR1"},
                                               {"AppleDouble", {"\0\x05\x16\x07", 4}}}};
constexpr std::array<std::string_view, 7> kHeifBrands = {"heic", "heix", "hevc", "heim",
                                                         "heis", "mif1", "msf1"};

}  // namespace

std::optional<ImageSize> image_size(std::string_view head) {
  const ImageSize size = size_of(head);
  if (size.width == 0 || size.height == 0) return std::nullopt;
  return size;
}

std::string_view unread_format(std::string_view head) {
  for (const auto& [format, begins] : kUnread)
    if (head.starts_with(begins)) return format;
  if (head.substr(std::min<std::size_t>(4, head.size()), 4) != "ftyp") return {};
  const std::string_view brand = head.substr(8, 4);
  if (brand == "avif" || brand == "avis") return "AVIF";
  return std::ranges::find(kHeifBrands, brand) == kHeifBrands.end() ? "" : "HEIF";
}

bool is_image_name(std::string_view name) {
  constexpr std::array<std::string_view, 8> endings = {".png",  ".jpg", ".jpeg", ".gif",
                                                       ".webp", ".bmp", ".tif",  ".tiff"};
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::any_of(endings, [&](std::string_view ending) { return lower.ends_with(ending); });
}

}  // namespace spillway
