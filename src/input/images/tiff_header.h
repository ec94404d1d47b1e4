// Reads the size of the first picture of a TIFF file (TIFF 6.0, section 2; BigTIFF) without decoding. Private
// to src/input.
//
//   bytes 0-1  II or MM: the byte order
//   bytes 2-3  42, or 43 for BigTIFF, whose offsets have 8 bytes
//   then       offset of the first directory, often at the end of the file, behind the pixels
//   directory  entries of tag, type, count and value; then the offset of the next picture's directory, or 0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "input/images/image_bytes.h"
#include "workload/images.h"

namespace spillway {

struct TiffPicture {
  ImageSize size;
  // The picture is a preview of another one, as in a camera's raw file.
  bool is_preview = false;
  bool has_followers = false;  // further pages
};

bool is_tiff(std::string_view head);

// Takes a file's first bytes, at least 16 of a whole file, and the rest. Returns nothing if the file ends
// before its directory does, or if the directory states no size.
std::optional<TiffPicture> tiff_picture(std::string_view head, const ImageBytes& rest);

}  // namespace spillway
