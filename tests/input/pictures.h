// Image files with correct headers and no other content, and archives of files as libarchive writes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spillway::testing {

enum class Format : std::uint8_t {
  Png,
  Gif,
  Bmp,
  Jpeg,
  WebpLossy,
  WebpLossless,
  WebpExtended,
  Tiff,
  BigTiff
};
inline constexpr std::uint32_t kFormats = 9;

// Contract: sides are from 1 to 16383, the largest that all formats can state. `more` bytes follow the
// header; of TIFF, they lie before its directory.
std::string picture(Format format, std::uint32_t width, std::uint32_t height, std::size_t more = 0);

// ".png"
std::string ending_of(Format format);

enum class MemberKind : std::uint8_t { File, Folder, Link, HardLink, Pipe };

// A TIFF file, whose directories may lie behind the pixels.
struct TiffForm {
  bool big_endian = false, big_offsets = false;  // MM, BigTIFF
  bool short_sides = false;                      // sides as SHORT; otherwise LONG
  std::size_t pixels = 0;                        // bytes before the first directory
  std::uint32_t subfile = 0;                     // NewSubfileType
  bool has_followers = false;
};
std::string tiff_file(std::uint32_t width, std::uint32_t height, const TiffForm& form);

struct TarMember {
  std::string name;
  std::string content = {};  // of a file; for a link, its target
  MemberKind kind = MemberKind::File;
};

// ARCHIVE_FORMAT_TAR_USTAR, ..._PAX_INTERCHANGE, ..._GNUTAR, ARCHIVE_FORMAT_ZIP. A zip archive takes neither
// pipes nor hard links; `options` are libarchive's, such as "zip:compression=store".
std::string tar_archive(const std::vector<TarMember>& members, int format, const char* options = nullptr);

std::string gzipped(const std::string& bytes);

// Returns a header of a member of this size in base 256, with a correct checksum.
std::string tar_header_base256(const std::string& name, std::uint64_t size);

}  // namespace spillway::testing
