// Sizes of images from headers written here, for any size that the format can state.
#include "input/images/image_header.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "input/images/tiff_header.h"
#include "pictures.h"
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

// Returns the rest of `file` after its head, as an archive or a file gives it.
ImageBytes rest_of(const std::string& file, std::size_t& at, bool skips) {
  const auto take = [&](std::uint64_t most) { return std::min<std::uint64_t>(most, file.size() - at); };
  return ImageBytes(
      [&, take](std::size_t most) {
        const std::string bytes = file.substr(at, take(most));
        at += bytes.size();
        return bytes;
      },
      [&, take, skips](std::uint64_t most) {
        const std::uint64_t passed = skips ? take(most) : 0;
        at += passed;
        return passed;
      });
}

// The directory may lie before or behind the pixels, in the head or far beyond it.
RC_GTEST_PROP(ImageHeaders, OfTiffAreFoundAnywhere, ()) {
  testing::TiffForm form;
  form.big_endian = *rc::gen::arbitrary<bool>();
  form.big_offsets = *rc::gen::arbitrary<bool>();
  form.short_sides = *rc::gen::arbitrary<bool>();
  form.has_followers = *rc::gen::arbitrary<bool>();
  form.subfile = *rc::gen::element<std::uint32_t>(0, 1, 2, 3);
  form.pixels = *rc::gen::element<std::size_t>(0, 1, 430, 488, 503, 5000, 400'000);
  const std::uint32_t most = form.short_sides ? 0xffff : 0xffffffff;
  const std::uint32_t width = number(1, most), height = number(1, most);
  const std::string file = testing::tiff_file(width, height, form);
  std::size_t at = std::min<std::size_t>(512, file.size());
  const std::string head = file.substr(0, at);
  RC_ASSERT(is_tiff(head));
  const auto picture = tiff_picture(head, rest_of(file, at, *rc::gen::arbitrary<bool>()));
  RC_ASSERT(picture.has_value());
  RC_ASSERT(picture->size.width == width && picture->size.height == height);
  RC_ASSERT(picture->is_preview == (form.subfile % 2 == 1));
  RC_ASSERT(picture->has_followers == form.has_followers);
}

// A file that is cut anywhere before the end of its entries has no size, and damage ends no program.
RC_GTEST_PROP(ImageHeaders, OfCutOrDamagedTiffHaveNoSize, ()) {
  testing::TiffForm form;
  form.big_endian = *rc::gen::arbitrary<bool>();
  form.big_offsets = *rc::gen::arbitrary<bool>();
  form.pixels = *rc::gen::element<std::size_t>(0, 600);
  const std::string whole = testing::tiff_file(640, 480, form);
  const std::size_t next = form.big_offsets ? 8 : 4;
  const std::string cut = whole.substr(0, *rc::gen::inRange<std::size_t>(8, whole.size() - next));
  std::size_t at = std::min<std::size_t>(512, cut.size());
  RC_ASSERT(!tiff_picture(cut.substr(0, at), rest_of(cut, at, true)));
  std::string damaged = whole;
  damaged[*rc::gen::inRange<std::size_t>(4, whole.size())] = static_cast<char>(*rc::gen::inRange(0, 256));
  at = std::min<std::size_t>(512, damaged.size());
  tiff_picture(damaged.substr(0, at), rest_of(damaged, at, true));
}

}  // namespace
}  // namespace spillway
