// The size of an image from the first bytes of its file, nothing decoded: PNG (ISO/IEC 15948, 11.2.2), JPEG
// (ITU-T T.81, B.2.2: the frame header), GIF (89a, 18), WebP (RFC 9649, 2.5 to 2.7), BMP (BITMAPINFOHEADER).
// Private to src/input.
#pragma once

#include <optional>
#include <string_view>

#include "workload/images.h"

namespace spillway {

// A JPEG's frame header may stand behind its metadata: a colour profile, a preview.
inline constexpr std::size_t kHeaderBytes = std::size_t{1} << 20;

// Of the file's first kHeaderBytes, or all of it. Nothing where it is none of these, or says no size.
std::optional<ImageSize> image_size(std::string_view head);

// The format of a picture whose size is not read: "TIFF"; empty where it is none of those known.
std::string_view unread_format(std::string_view head);

// Whether a name ends like one of these.
bool is_image_name(std::string_view name);

}  // namespace spillway
