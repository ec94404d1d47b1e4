// What columns and keys are called that say something of an image. Private to src/input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace spillway {

// Right and Bottom are edges of a box in the image, in pixels; Original is the width before the image was
// stored as it is, which is not what a loader reads.
enum class ImageField : std::uint8_t { Width, Height, Count, Name, Right, Bottom, Original };
inline constexpr std::size_t kImageFields = 7;

// Its names, the plainest last: beside an image's size a file may have a box's.
std::span<const std::string_view> names_of(ImageField field);

// In lower case, without blanks around it.
std::string plain_name(std::string_view name);

}  // namespace spillway
