#include "input/images/image_rows.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include "base/number.h"
#include "base/text.h"
#include "json/node.h"

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

constexpr std::array<std::string_view, 6> kSeconds = {"video_seconds",  "duration_seconds", "duration_s",
                                                      "video_duration", "seconds",          "duration"};
constexpr std::array<std::string_view, 5> kFrames = {"sampled_frames", "num_frames", "n_frames", "nframes",
                                                     "frames"};

constexpr std::uint64_t kLargestCount = 1'000'000'000'000;

const std::string& in(const ImageRow& row, ImageField field) {
  return row[static_cast<std::size_t>(field)];
}

// Reads a whole number, also one written as a fraction: 640.0.
std::optional<std::uint64_t> whole(std::string_view text) {
  if (const std::size_t point = text.find('.'); point != std::string_view::npos) {
    if (text.find_first_not_of('0', point + 1) != std::string_view::npos) return std::nullopt;
    text = text.substr(0, point);
  }
  return number_from<std::uint64_t>(text);
}

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
    case ImageField::VideoSeconds:
      return kSeconds;
    case ImageField::VideoFrames:
      return kFrames;
  }
  return {};
}

std::string plain_name(std::string_view name) {
  std::string lower(trimmed(name));
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

bool is_unknown_value(std::string_view text) {
  constexpr std::array<std::string_view, 8> words = {"", "nan", "null", "none", "na", "n/a", "<na>", "\\n"};
  return std::ranges::find(words, plain_name(text)) != words.end();
}

void ImageRows::add_unknown(const std::string& place, std::uint64_t images) {
  if (unknown_ == 0) first_unknown_ = place.empty() ? "/" : place;
  unknown_ += images;
}

void ImageRows::add_sample(std::uint64_t images) {
  ++samples_;
  several_ += images > 1 ? 1 : 0;
}

void ImageRows::add(const std::string& place, const ImageRow& row) {
  if (is_unknown_value(in(row, ImageField::Width)) && is_unknown_value(in(row, ImageField::Height)))
    return add_unknown(place);
  const std::string& count = in(row, ImageField::Count);
  const auto w = number(place, "a width", in(row, ImageField::Width), kLongestSide);
  const auto h = number(place, "a height", in(row, ImageField::Height), kLongestSide);
  const auto n = number(place, "a count", count.empty() ? "1" : std::string_view(count), kLargestCount);
  const auto length = length_of(place, row);
  if (!w || !h || !n || !length) return;
  const ImageSize size{static_cast<std::uint32_t>(*w), static_cast<std::uint32_t>(*h)};
  if (!fits(place, size, *length)) return;
  look_at(row, size, *n);
  sizes_.push_back({size, *n, *length});
}

bool ImageRows::fits(const std::string& place, ImageSize size, VideoLength length) {
  if (length.any() && !takes_videos(rule_)) {
    findings_.add(place, "an image, since the rule of this tower does not say how videos are sampled",
                  "a video");
    return false;
  }
  const bool fits = length.any() ? resized_frame(size, sampled_frames(length, rule_.video), rule_).has_value()
                                 : resized(size, rule_).has_value();
  if (!fits)
    findings_.add(place, "an aspect ratio of at most " + std::to_string(rule_.max_aspect),
                  describe({std::to_string(size.width) + "x" + std::to_string(size.height)}));
  return fits;
}

// Reads the seconds or the sampled frames of a row; neither: an image.
std::optional<VideoLength> ImageRows::length_of(const std::string& place, const ImageRow& row) {
  const std::string &seconds = in(row, ImageField::VideoSeconds), &frames = in(row, ImageField::VideoFrames);
  VideoLength length;
  if (!is_unknown_value(frames)) {
    const auto value = whole(frames);
    if (!value || *value > kMostFrames) {
      findings_.add(place, "frames from 0 to " + std::to_string(kMostFrames), describe({frames}));
      return std::nullopt;
    }
    length.frames = static_cast<std::uint32_t>(*value);
  }
  if (length.frames > 0 || is_unknown_value(seconds)) return length;
  const auto value = number_from<double>(seconds);
  if (!value || !(*value >= 0 && *value <= kMostSeconds)) {
    findings_.add(place, "seconds from 0 to 86400", describe({seconds}));
    return std::nullopt;
  }
  length.seconds = *value;
  return length;
}

std::optional<std::uint64_t> ImageRows::number(const std::string& place, const std::string& what,
                                               std::string_view text, std::uint64_t most) {
  const auto value = whole(text);
  if (value && *value >= 1 && *value <= most) return value;
  findings_.add(place, what + " from 1 to " + std::to_string(most), describe({std::string(text)}));
  return std::nullopt;
}

void ImageRows::look_at(const ImageRow& row, ImageSize size, std::uint64_t count) {
  sides_.add(size, count);
  const auto right = number_from<double>(in(row, ImageField::Right));
  const auto bottom = number_from<double>(in(row, ImageField::Bottom));
  if (right && bottom) {
    boxes_ = true;
    sides_.add_box(size, *right, *bottom);
  }
  const std::string& original = in(row, ImageField::Original);
  if (!original.empty() && original != in(row, ImageField::Width)) ++stored_;
  const std::string& name = in(row, ImageField::Name);
  if (name.empty() || !in(row, ImageField::Count).empty()) return;
  const auto [known, fresh] = named_.emplace(name, size);
  if (!fresh) again_.push_back(sizes_.size());
  differ_ = differ_ || known->second != size;
}

std::string ImageRows::remark_on_names() const {
  if (differ_) return "rows with the same name differ in size, so each row counts as an image";
  if (!again_.empty())
    return "rows that repeat an image of an earlier row are not counted again: " +
           std::to_string(again_.size()) + " of " + std::to_string(sizes_.size());
  if (boxes_ && named_.empty())
    return "the list has boxes without image names, so each row counts as an image";
  return "";
}

std::string ImageRows::remark_on_sizes() const {
  if (unknown_ == 0) return "";
  return "rows without a size are not counted: " + std::to_string(unknown_) + " of " +
         std::to_string(unknown_ + sizes_.size()) + ", the first at " + first_unknown_;
}

std::string ImageRows::remark_on_originals() const {
  return stored_ == 0
             ? ""
             : "width and height are those of the stored file; original_width and original_height differ "
               "in " +
                   std::to_string(stored_) + " of " + std::to_string(sizes_.size()) + " rows and are ignored";
}

std::string ImageRows::remark_on_texts() const {
  if (texts_ == 0) return "";
  const std::string all = samples_ == 0 ? "" : " of " + std::to_string(samples_);
  return "samples of text without an image: " + std::to_string(texts_) + all +
         "; a workload states them by text_only_share";
}

std::string ImageRows::remark_on_videos() const {
  return videos_ == 0 ? "" : "samples with a video are not counted: " + std::to_string(videos_);
}

std::string ImageRows::remark_on_samples() const {
  if (several_ == 0) return "";
  return "samples with several images: " + std::to_string(several_) + " of " + std::to_string(samples_) +
         "; a workload states their number by images_per_sample";
}

ImageList ImageRows::take() && {
  ImageList list;
  for (std::string remark : {remark_on_sizes(), remark_on_originals(), remark_on_samples(), remark_on_texts(),
                             remark_on_videos(), remark_on_names(), sides_.remark()})
    if (!remark.empty()) list.remarks.push_back(std::move(remark));
  if (differ_) again_.clear();
  auto next = again_.begin();
  for (std::size_t i = 0; i < sizes_.size(); ++i)
    if (next != again_.end() && *next == i)
      ++next;
    else
      list.sizes.push_back(sizes_[i]);
  return list;
}

}  // namespace spillway
