#include "pictures.h"

#include <archive.h>
#include <archive_entry.h>
#include <zlib.h>

#include <array>
#include <cstdio>
#include <stdexcept>

namespace spillway::testing {
namespace {

std::string little(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

std::string big(std::uint64_t value, int bytes) {
  const std::string text = little(value, bytes);
  return {text.rbegin(), text.rend()};
}

std::string webp(const std::string& chunk, const std::string& payload) {
  const std::string sized = chunk + little(payload.size(), 4) + payload;
  return "RIFF" + little(4 + sized.size(), 4) + "WEBP" + sized;
}

// The frame follows a comment and tables.
std::string jpeg(std::uint32_t width, std::uint32_t height) {
  return "\xff\xd8\xff\xfe" + big(2 + 700, 2) + std::string(700, '\0') + "\xff\xc4" + big(2 + 5, 2) +
         "table" + "\xff\xc2" + big(17, 2) + '\x08' + big(height, 2) + big(width, 2) + '\x03';
}

std::string header(Format format, std::uint32_t width, std::uint32_t height) {
  switch (format) {
    case Format::Png:
      return "\x89PNG\r\n\x1a\n" + big(13, 4) + "IHDR" + big(width, 4) + big(height, 4) + "\x08\x02";
    case Format::Gif:
      return "GIF89a" + little(width, 2) + little(height, 2);
    case Format::Bmp:
      return "BM" + std::string(12, '\0') + little(40, 4) + little(width, 4) + little(-height, 4);
    case Format::Jpeg:
      return jpeg(width, height);
    case Format::WebpLossy:
      return webp("VP8 ", std::string("\x10\x00\x00\x9d\x01\x2a", 6) + little(width, 2) + little(height, 2));
    case Format::WebpLossless:
      return webp("VP8L", '\x2f' + little((width - 1) | std::uint64_t{height - 1} << 14, 4));
    case Format::WebpExtended:
      return webp("VP8X", std::string(4, '\0') + little(width - 1, 3) + little(height - 1, 3));
    case Format::Tiff:
    case Format::BigTiff:
      break;
  }
  return "";
}

void hold(archive* tar, int status) {
  if (status != ARCHIVE_OK) throw std::runtime_error(archive_error_string(tar));
}

void describe(const TarMember& member, archive_entry* entry) {
  constexpr std::array<unsigned, 5> types = {AE_IFREG, AE_IFDIR, AE_IFLNK, AE_IFREG, AE_IFIFO};
  archive_entry_set_pathname(entry, member.name.c_str());
  archive_entry_set_filetype(entry, types[static_cast<std::size_t>(member.kind)]);
  archive_entry_set_perm(entry, 0644);
  archive_entry_set_size(
      entry, member.kind == MemberKind::File ? static_cast<la_int64_t>(member.content.size()) : 0);
  if (member.kind == MemberKind::Link) archive_entry_set_symlink(entry, member.content.c_str());
  if (member.kind == MemberKind::HardLink) archive_entry_set_hardlink(entry, member.content.c_str());
}

}  // namespace

std::string tiff_file(std::uint32_t width, std::uint32_t height, const TiffForm& form) {
  const int offset = form.big_offsets ? 8 : 4, count = form.big_offsets ? 8 : 2;
  const auto number = [&](std::uint64_t value, int bytes) {
    return form.big_endian ? big(value, bytes) : little(value, bytes);
  };
  const auto entry = [&](std::uint32_t tag, bool is_short, std::uint64_t value) {
    const int bytes = is_short ? 2 : 4;
    return number(tag, 2) + number(is_short ? 3 : 4, 2) + number(1, offset) + number(value, bytes) +
           std::string(static_cast<std::size_t>(offset - bytes), '\0');
  };
  const std::string head = std::string(form.big_endian ? "MM" : "II") +
                           number(form.big_offsets ? 43 : 42, 2) +
                           (form.big_offsets ? number(8, 2) + number(0, 2) : "");
  const std::uint64_t directory = head.size() + static_cast<std::size_t>(offset) + form.pixels;
  const std::string entries = entry(254, false, form.subfile) + entry(256, form.short_sides, width) +
                              entry(257, form.short_sides, height) + entry(262, true, 2);
  return head + number(directory, offset) + std::string(form.pixels, '\0') + number(4, count) + entries +
         number(form.has_followers ? 8 : 0, offset);
}

std::string picture(Format format, std::uint32_t width, std::uint32_t height, std::size_t more) {
  if (format == Format::Tiff) return tiff_file(width, height, {.short_sides = true, .pixels = more});
  if (format == Format::BigTiff)
    return tiff_file(width, height, {.big_endian = true, .big_offsets = true, .pixels = more});
  return header(format, width, height) + std::string(more + 24, '\0');
}

std::string ending_of(Format format) {
  constexpr std::array<const char*, kFormats> endings = {".png",  ".gif",  ".bmp", ".JPG", ".webp",
                                                         ".webp", ".webp", ".tif", ".TIFF"};
  return endings[static_cast<std::size_t>(format)];
}

std::string tar_archive(const std::vector<TarMember>& members, int format, const char* options) {
  std::size_t most = 20480;
  for (const TarMember& member : members) most += 4096 + member.content.size() + member.name.size();
  std::string bytes(most, '\0');
  std::size_t used = 0;
  archive* tar = archive_write_new();
  hold(tar, archive_write_set_format(tar, format));
  if (options) hold(tar, archive_write_set_options(tar, options));
  hold(tar, archive_write_open_memory(tar, bytes.data(), bytes.size(), &used));
  for (const TarMember& member : members) {
    archive_entry* entry = archive_entry_new();
    describe(member, entry);
    hold(tar, archive_write_header(tar, entry));
    if (member.kind == MemberKind::File)
      archive_write_data(tar, member.content.data(), member.content.size());
    archive_entry_free(entry);
  }
  hold(tar, archive_write_close(tar));
  archive_write_free(tar);
  return bytes.substr(0, used);
}

std::string gzipped(const std::string& bytes) {
  z_stream stream = {};
  deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string tar_header_base256(const std::string& name, std::uint64_t size) {
  std::string block(512, '\0');
  block.replace(0, name.size(), name);
  block.replace(100, 7, "0000644");
  block.replace(124, 12, '\x80' + std::string(3, '\0') + big(size, 8));
  block.replace(136, 11, "00000000000");
  block[156] = '0';
  block.replace(257, 8, std::string("ustar\00000", 8));
  block.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  std::array<char, 8> digits{};
  std::snprintf(digits.data(), digits.size(), "%06o", sum);
  block.replace(148, 8, std::string(digits.data(), 7) + ' ');
  return block;
}

}  // namespace spillway::testing
