// Image files with correct headers and no other content, and tar archives of files as libarchive writes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spillway::testing {

enum class Format : std::uint8_t { Png, Gif, Bmp, Jpeg, WebpLossy, WebpLossless, WebpExtended };
inline constexpr std::uint32_t kFormats = 7;

// Contract: sides are from 1 to 16383, the largest that all formats can state. `more` bytes follow the
// header.
std::string picture(Format format, std::uint32_t width, std::uint32_t height, std::size_t more = 0);

// ".png"
std::string ending_of(Format format);

enum class MemberKind : std::uint8_t { File, Folder, Link, HardLink, Pipe };

struct TarMember {
  std::string name;
  std::string content = {};  // of a file; for a link, its target
  MemberKind kind = MemberKind::File;
};

// ARCHIVE_FORMAT_TAR_USTAR, ..._PAX_INTERCHANGE, ..._GNUTAR.
std::string tar_archive(const std::vector<TarMember>& members, int format);

std::string gzipped(const std::string& bytes);

// Returns a header of a member of this size in base 256, with a correct checksum.
std::string tar_header_base256(const std::string& name, std::uint64_t size);

}  // namespace spillway::testing
