#include "input/images/image_fields.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"

namespace spillway {
namespace {

constexpr std::array<std::string_view, 9> kWidths = {"image_width", "img_width",      "imagewidth",
                                                     "im_width",    "width_list",     "widths",
                                                     "width",       "original_width", "w"};
constexpr std::array<std::string_view, 9> kHeights = {"image_height", "img_height",      "imageheight",
                                                      "im_height",    "height_list",     "heights",
                                                      "height",       "original_height", "h"};
constexpr std::array<std::string_view, 1> kOriginals = {"original_width"};
constexpr std::array<std::string_view, 7> kCounts = {"image_count", "num_images", "n_images", "frequency",
                                                     "freq",        "count",      "n"};
constexpr std::array<std::string_view, 15> kNames = {
    "image_id", "imageid",  "image_name", "image_path", "image_file", "image_url", "img_path", "file_name",
    "filename", "filepath", "file_path",  "path",       "url",        "image",     "file"};
constexpr std::array<std::string_view, 6> kRights = {"bbox_xmax", "box_xmax", "x_max", "xmax", "right", "x2"};
constexpr std::array<std::string_view, 6> kBottoms = {"bbox_ymax", "box_ymax", "y_max",
                                                      "ymax",      "bottom",   "y2"};

}  // namespace

std::span<const std::string_view> names_of(ImageField field) {
  switch (field) {
    case ImageField::Width:
      return kWidths;
    case ImageField::Height:
      return kHeights;
    case ImageField::Count:
      return kCounts;
    case ImageField::Name:
      return kNames;
    case ImageField::Original:
      return kOriginals;
    case ImageField::Right:
      return kRights;
    case ImageField::Bottom:
      return kBottoms;
  }
  return {};
}

std::string plain_name(std::string_view name) {
  std::string lower(trimmed(name));
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

}  // namespace spillway
