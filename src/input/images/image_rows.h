// Images gathered row by row from texts, each checked; and what is odd about all of them together. Private to
// src/input.
//
// A list of boxes has a row for each box: an image whose name or id is on several rows is one image, unless
// rows of one name differ in size, which is then no image's name, or a column says how many there are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/findings.h"
#include "input/images/swapped_sides.h"
#include "workload/images.h"

namespace spillway {

// Right and Bottom are edges of a box in the image, in pixels; Original is the width before the image was
// stored as it is, which is not what a loader reads.
enum class ImageField : std::uint8_t { Width, Height, Count, Name, Right, Bottom, Original };
inline constexpr std::size_t kImageFields = 7;

// Its names, the plainest last: beside an image's size a file may have a box's.
std::span<const std::string_view> names_of(ImageField field);

// In lower case, without blanks around it.
std::string plain_name(std::string_view name);

// Sides beyond this are no image: twice the largest a JPEG can be.
inline constexpr std::uint32_t kLongestSide = 131'070;

struct ImageList {
  std::vector<SizeCount> sizes = {};
  std::vector<std::string> remarks = {};  // what is not known or was decided: sentences without a full stop
};

// [field] as text; empty where the list does not say it.
using ImageRow = std::array<std::string, kImageFields>;

class ImageRows {
 public:
  // Bad rows go to `findings`.
  ImageRows(const ResizeRule& rule, Findings& findings) : rule_(rule), findings_(findings) {}

  // `place` as in Findings. A row without a count is one image; one without a size is counted apart.
  void add(const std::string& place, const ImageRow& row);
  // A sample of text alone.
  void add_text() { ++texts_; }

  ImageList take() &&;

 private:
  std::optional<std::uint64_t> number(const std::string& place, const std::string& what,
                                      std::string_view text, std::uint64_t most);
  void look_at(const ImageRow& row, ImageSize size, std::uint64_t count);
  std::string remark_on_names() const;
  std::string remark_on_originals() const;
  std::string remark_on_sizes() const;
  std::string remark_on_texts() const;

  const ResizeRule& rule_;
  Findings& findings_;
  std::vector<SizeCount> sizes_ = {};
  std::unordered_map<std::string, ImageSize> named_ = {};
  std::vector<std::size_t> again_ = {};  // of sizes_: an image that an earlier row has named
  bool differ_ = false;                  // in size, though of one name
  bool boxes_ = false;
  std::size_t stored_ = 0;          // rows that have the width of another file, too
  std::uint64_t unknown_ = 0;       // rows without a size
  std::string first_unknown_ = {};  // the place of the first
  std::uint64_t texts_ = 0;         // samples without an image
  SwappedSides sides_ = {};
};

}  // namespace spillway
