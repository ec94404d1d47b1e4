#include "input/images/image_files.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "input/images/image_header.h"
#include "input/images/image_json.h"
#include "input/images/image_rows.h"
#include "input/images/tiff_header.h"

namespace spillway {
namespace {

constexpr std::size_t kMostKinds = 8;       // kinds that are named; kinds of the fewest files are joined
constexpr std::size_t kLongestEnding = 10;  // longer endings, such as ".safetensors", are not of pictures

// Endings of a sample's files that have words or labels, and no pixels.
constexpr std::array<std::string_view, 9> kTextEndings = {"json", "jsonl", "txt", "text", "caption",
                                                          "cls",  "html",  "md",  "xml"};

std::string_view base_name(std::string_view path) {
  return path.substr(std::min(path.rfind('/') + 1, path.size()));
}

// Returns the ending of a name in lower case, without its dot; empty if there is none.
std::string ending_of_name(std::string_view path) {
  const std::string_view name = base_name(path);
  const std::size_t dot = name.rfind('.');
  if (dot == 0 || dot == std::string_view::npos || name.size() - dot > kLongestEnding) return {};
  return lower(name.substr(dot + 1));
}

// Returns a path up to the first dot of its last part.
std::string sample_key(std::string_view path) {
  const std::size_t name = path.size() - base_name(path).size();
  return std::string(path.substr(0, path.find('.', name)));
}

// Returns, for example, "HEIF file" or ".txt file".
std::string kind_of(std::string_view path, std::string_view head) {
  if (const std::string_view format = unread_format(head); !format.empty())
    return std::string(format) + " file";
  const std::string ending = ending_of_name(path);
  return ending.empty() ? "other file" : '.' + ending + " file";
}

std::string size_text(ImageSize size) {
  return std::to_string(size.width) + 'x' + std::to_string(size.height);
}

}  // namespace

void ImageFiles::begin(const std::string& place) {
  std::string key = sample_key(place);
  if (key == sample_.key) return;
  take_last();
  sample_.key = std::move(key);
}

void ImageFiles::take_last() {
  if (!sample_.has_image && sample_.has_pixels && sample_.stated) {
    ++counts_[{sample_.stated->width, sample_.stated->height}];
    ++stated_;
  }
  captioned_ += sample_.has_image && sample_.has_text ? 1 : 0;
  texts_of_ones_ += in_archive_ && sample_.has_text && !sample_.has_image && !sample_.has_pixels ? 1 : 0;
  sample_ = {};
}

void ImageFiles::begin_archive() {
  take_last();
  in_archive_ = true;
  texts_of_ones_ = captioned_ = 0;
}

// A text alone, such as a licence, is a sample only in an archive that has captions.
void ImageFiles::end_archive() {
  take_last();
  in_archive_ = false;
  texts_ += captioned_ > 0 ? texts_of_ones_ : 0;
}

void ImageFiles::add_size(const std::string& place, ImageSize size, Findings& findings) {
  sample_.has_image = true;
  if (size.width <= kLongestSide && size.height <= kLongestSide)
    ++counts_[{size.width, size.height}];
  else
    findings.add(place, "an image with sides of at most " + std::to_string(kLongestSide), size_text(size));
}

// Returns false if the file has no size that a reader of images would take.
bool ImageFiles::add_tiff(const std::string& place, std::string_view head, const ImageBytes& rest,
                          Findings& findings) {
  const std::optional<TiffPicture> picture = tiff_picture(head, rest);
  if (picture && picture->is_preview) return false;
  if (picture) {
    many_pages_ += picture->has_followers ? 1 : 0;
    add_size(place, picture->size, findings);
    return true;
  }
  if (!is_image_name(place)) return false;
  findings.add(place, "a TIFF file with the size of its first picture", "none, or one that is cut");
  return true;
}

void ImageFiles::add_other(const std::string& place, std::string_view head) {
  const std::string ending = ending_of_name(place);
  if (std::ranges::find(kTextEndings, ending) != kTextEndings.end())
    sample_.has_text = true;
  else if (!ending.empty())
    sample_.has_pixels = true;
  pass_over(kind_of(place, head));
}

void ImageFiles::add(const std::string& place, std::string head, const ImageBytes& rest, Findings& findings) {
  begin(place);
  if (is_tiff(head)) {
    if (!add_tiff(place, head, rest, findings)) add_other(place, {});
    return;
  }
  const bool is_json = ending_of_name(place) == "json";
  if (is_image_name(place) || (is_json && !sample_.has_image))
    head += rest.read(kHeaderBytes - std::min(kHeaderBytes, head.size()));
  if (const auto size = image_size(head)) return add_size(place, *size, findings);
  const bool is_known = !unread_format(head).empty();
  if (is_image_name(place) && !is_known)
    return findings.add(place, "a PNG, JPEG, GIF, WebP, BMP or TIFF file with its size", "something else");
  if (is_json && !sample_.has_image) sample_.stated = stated_image_size(head);
  add_other(place, head);
}

std::string ImageFiles::table() const {
  if (counts_.empty()) return "";
  std::string text = "width,height,count\n";
  for (const auto& [size, count] : counts_)
    text +=
        std::to_string(size.first) + ',' + std::to_string(size.second) + ',' + std::to_string(count) + '\n';
  return text;
}

std::vector<std::string> ImageFiles::remarks() const {
  std::vector<std::pair<std::string, std::uint64_t>> kinds(not_read_.begin(), not_read_.end());
  std::ranges::stable_sort(kinds, std::ranges::greater(), [](const auto& kind) { return kind.second; });
  for (; kinds.size() > kMostKinds; kinds.pop_back())
    kinds[kMostKinds - 1] = {"other file", kinds[kMostKinds - 1].second + kinds.back().second};
  std::string list;
  for (const auto& [kind, count] : kinds) add_to_list(list, counted(count, kind));
  std::vector<std::string> said;
  if (!list.empty()) said.push_back("not read: " + list);
  if (stated_ > 0)
    said.push_back("images whose size is from the .json file of their sample: " + std::to_string(stated_));
  if (texts_ > 0) said.push_back("samples of text without an image: " + std::to_string(texts_));
  if (many_pages_ > 0)
    said.push_back("TIFF files of several pages, of which the first counts: " + std::to_string(many_pages_));
  if (behind_ends_ > 0)
    said.push_back("joined archives are read as one archive: " + counted(behind_ends_, "member") +
                   " after the end of the first one, where tar and WebDataset readers stop");
  return said;
}

}  // namespace spillway
