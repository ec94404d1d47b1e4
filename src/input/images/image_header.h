// Reads the size of an image from the first bytes of its file, without decoding: PNG (ISO/IEC 15948, 11.2.2),
// JPEG (ITU-T T.81, B.2.2: the frame header), GIF (89a, 18), WebP (RFC 9649, 2.5 to 2.7), BMP
// (BITMAPINFOHEADER). TIFF is in tiff_header.h. Private to src/input.
#pragma once

#include <optional>
#include <string_view>

#include "workload/images.h"

namespace spillway {

// The frame header of a JPEG may follow its metadata: a colour profile, a preview.
inline constexpr std::size_t kHeaderBytes = std::size_t{1} << 20;

// Takes the file's first kHeaderBytes, or the whole file. Returns nothing if it has none of these formats, or
// no size.
std::optional<ImageSize> image_size(std::string_view head);

// Returns the format of a file that may have pictures and is not read, such as "HEIF"; empty if the format is
// unknown.
std::string_view unread_format(std::string_view head);

// Returns true if a name ends like one of the formats that are read, TIFF included.
bool is_image_name(std::string_view name);

}  // namespace spillway
