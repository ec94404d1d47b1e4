// Sizes of images from headers written here, for any size that the format can state.
#include "input/images/image_header.h"

#include <gtest/gtest.h>

#include <string>

#include "support/numbers.h"
#include "support/property.h"

namespace spillway {
namespace {

using testing::number;

std::string little(std::uint32_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

std::string big(std::uint32_t value, int bytes) {
  const std::string text = little(value, bytes);
  return {text.rbegin(), text.rend()};
}

std::string webp_header(const std::string& chunk, const std::string& content) {
  return "RIFF" + little(0, 4) + "WEBP" + chunk + little(static_cast<std::uint32_t>(content.size()), 4) +
         content;
}

struct HeaderFormat {
  std::uint32_t largest;
  std::string (*header)(std::uint32_t width, std::uint32_t height);
};

const std::string kPng = "\x89PNG\r\n\x1a\n";

// The formats are PNG, GIF, BMP, the three of WebP, and JPEG after a comment.
const HeaderFormat kFormats[] = {
    {0x7fffffff, [](auto w, auto h) { return kPng + big(13, 4) + "IHDR" + big(w, 4) + big(h, 4); }},
    {0xffff, [](auto w, auto h) { return "GIF89a" + little(w, 2) + little(h, 2); }},
    {0x7fffffff, [](auto w, auto h) { return "BM" + std::string(16, 'x') + little(w, 4) + little(h, 4); }},
    {1 << 24,
     [](auto w, auto h) { return webp_header("VP8X", little(0, 4) + little(w - 1, 3) + little(h - 1, 3)); }},
    {0x3fff,
     [](auto w, auto h) { return webp_header("VP8 ", std::string(6, 'x') + little(w, 2) + little(h, 2)); }},
    {0x4000, [](auto w, auto h) { return webp_header("VP8L", "\x2f" + little((h - 1) << 14 | (w - 1), 4)); }},
    {0xffff, [](auto w, auto h) {
       return "\xff\xd8\xff\xfe" + big(5, 2) + "abc\xff\xc2" + big(8, 2) + "\x08" + big(h, 2) + big(w, 2);
     }}};

RC_GTEST_PROP(ImageHeaders, SayTheSizeThatWasWritten, ()) {
  for (const HeaderFormat& format : kFormats) {
    const std::uint32_t most = number(0, 1) == 0 ? 300 : format.largest;
    const std::uint32_t width = number(1, most), height = number(1, most);
    const auto size = image_size(format.header(width, height));
    RC_ASSERT(size.has_value());
    RC_ASSERT(size->width == width && size->height == height);
  }
}

}  // namespace
}  // namespace spillway
