// Reads the members of a tar or zip archive by libarchive. Private to src/input.
//
// tar: libarchive reads what all writers write (ustar, pax, GNU; sizes in base 256, sparse files). It checks
// the sums of headers and detects an end in the middle of a file. This reader adds two checks. It checks
// gzip's own sums by zlib, since libarchive ignores them. It checks that the archive ends with a block of
// zeros, which is missing if it was cut after a whole file.
//
// zip: read by its directory, which is at its end, so one that is cut anywhere has none. Members may be
// stored, or packed as libarchive can unpack them (deflate, among others).
//
// An archive that is cut, damaged or without its end is a finding, so its content is no list. Links are
// counted and not followed.
#pragma once

#include <string>
#include <string_view>

#include "base/findings.h"
#include "input/images/image_files.h"
#include "json/byte_source.h"

namespace spillway {

inline constexpr std::size_t kTarBlock = 512;  // POSIX.1-2001, pax, ustar

// Both take the first kTarBlock bytes of a file.
bool is_tar_header(std::string_view block);
bool is_zip_header(std::string_view block);

// Reads the archive whose first block has been read already. Places of files and faults begin with `prefix`:
// "" or "shard.tar/".
void read_tar(ByteSource& source, std::string first_block, const std::string& prefix, ImageFiles& files,
              Findings& findings);
void read_zip(const std::string& path, const std::string& prefix, ImageFiles& files, Findings& findings);

}  // namespace spillway
