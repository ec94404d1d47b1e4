// Collects and checks images row by row, and remarks on what is odd in all of them together. Private to
// src/input.
//
// A list of boxes has a row for each box. So rows with the same image name or id are one image, with two
// exceptions. If rows of one name differ in size, names do not identify images. If a column states counts,
// each row counts.
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

// Seconds and Frames make a video of a row; both blank or 0: an image. Right and Bottom are edges of a box in
// the image, in pixels. Original is the width before the image was stored, which is not the width that a
// loader reads.
enum class ImageField : std::uint8_t {
  Width,
  Height,
  Count,
  Name,
  Right,
  Bottom,
  Original,
  VideoSeconds,
  VideoFrames
};
inline constexpr std::size_t kImageFields = 9;

// Returns the column names and keys of a field, the plainest last: a file may have a box's size beside an
// image's.
std::span<const std::string_view> names_of(ImageField field);

// Returns the name in lower case, without blanks around it.
std::string plain_name(std::string_view name);

// Returns true for the words by which pandas, SQL and JSON write unknown values.
bool is_unknown_value(std::string_view text);

// The longest video: a day.
inline constexpr double kMostSeconds = 86'400;
inline constexpr std::uint32_t kMostFrames = 1U << 20;

// The longest side of an image: twice the largest side of a JPEG.
inline constexpr std::uint32_t kLongestSide = 131'070;

struct ImageList {
  std::vector<SizeCount> sizes = {};
  std::vector<std::string> remarks = {};  // unknown facts and decisions: sentences without a full stop
};

// [field] as text; empty if the list does not state it.
using ImageRow = std::array<std::string, kImageFields>;

class ImageRows {
 public:
  // Adds bad rows to `findings`.
  ImageRows(const ResizeRule& rule, Findings& findings) : rule_(rule), findings_(findings) {}

  // `place` is as in Findings. A row without a count is one image; a row without a size is counted apart.
  void add(const std::string& place, const ImageRow& row);
  // Counts images of one row or sample that states no sizes.
  void add_unknown(const std::string& place, std::uint64_t images = 1);
  // Counts a sample of a list of samples, with so many images; the images are added apart.
  void add_sample(std::uint64_t images);
  // Counts samples of text alone, or of a video.
  void add_text() { ++texts_; }
  void add_video() { ++videos_; }

  // Returns true if the list names images, and states the size of none of them.
  bool lacks_sizes() const { return unknown_ > 0 && sizes_.empty(); }

  ImageList take() &&;

 private:
  std::optional<std::uint64_t> number(const std::string& place, const std::string& what,
                                      std::string_view text, std::uint64_t most);
  std::optional<VideoLength> length_of(const std::string& place, const ImageRow& row);
  bool fits(const std::string& place, ImageSize size, VideoLength length);
  void look_at(const ImageRow& row, ImageSize size, std::uint64_t count);
  std::string remark_on_names() const;
  std::string remark_on_originals() const;
  std::string remark_on_sizes() const;
  std::string remark_on_texts() const;
  std::string remark_on_videos() const;
  std::string remark_on_samples() const;

  const ResizeRule& rule_;
  Findings& findings_;
  std::vector<SizeCount> sizes_ = {};
  std::unordered_map<std::string, ImageSize> named_ = {};
  std::vector<std::size_t> again_ = {};  // indices of sizes_: images that an earlier row has named
  bool differ_ = false;                  // rows of one name differ in size
  bool boxes_ = false;
  std::size_t stored_ = 0;          // rows whose original width differs from the stored one
  std::uint64_t unknown_ = 0;       // rows without a size
  std::string first_unknown_ = {};  // place of the first of them
  std::uint64_t samples_ = 0;       // of a list of samples, texts and videos included
  std::uint64_t several_ = 0;       // samples with several images
  std::uint64_t texts_ = 0;         // samples without an image
  std::uint64_t videos_ = 0;        // samples with a video and no image
  SwappedSides sides_ = {};
};

}  // namespace spillway
