// The images of a tar archive (WebDataset), read by libarchive, of which headers alone are looked at. Private
// to src/input.
#pragma once

#include <string>
#include <string_view>

#include "base/findings.h"
#include "input/images/image_files.h"
#include "json/byte_source.h"

namespace spillway {

inline constexpr std::size_t kTarBlock = 512;  // POSIX.1-2001, pax, ustar

// Of a file's first block.
bool is_tar_header(std::string_view block);

// Reads the archive whose first block has been read already. Files and faults are placed under `prefix`: ""
// or "shard.tar/". An archive that is cut, damaged or without its end is a finding, and so what it holds is
// no list.
void read_image_archive(ByteSource& source, std::string first_block, const std::string& prefix,
                        ImageFiles& files, Findings& findings);

}  // namespace spillway
