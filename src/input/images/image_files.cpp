#include "input/images/image_files.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "input/images/image_header.h"

namespace spillway {
namespace {

constexpr std::size_t kMostKinds = 8;       // kinds that are named; kinds of the fewest files are joined
constexpr std::size_t kLongestEnding = 10;  // longer endings, such as ".safetensors", are not of pictures

// Returns, for example, "TIFF file" or ".txt file".
std::string kind_of(std::string_view name, std::string_view head) {
  if (const std::string_view format = unread_format(head); !format.empty())
    return std::string(format) + " file";
  name.remove_prefix(std::min(name.rfind('/') + 1, name.size()));
  const std::size_t dot = name.rfind('.');
  if (dot == 0 || dot == std::string_view::npos || name.size() - dot > kLongestEnding) return "other file";
  return lower(name.substr(dot)) + " file";
}

}  // namespace

void ImageFiles::add(const std::string& place, std::string head, const Read& more, Findings& findings) {
  if (is_image_name(place)) head += more(kHeaderBytes - std::min(kHeaderBytes, head.size()));
  if (const auto size = image_size(head))
    ++counts_[{size->width, size->height}];
  else if (unread_format(head).empty() && is_image_name(place))
    findings.add(place, "a PNG, JPEG, GIF, WebP or BMP file with its size", "something else");
  else
    pass_over(kind_of(place, head));
}

std::string ImageFiles::table() const {
  if (counts_.empty()) return "";
  std::string text = "width,height,count\n";
  for (const auto& [size, count] : counts_)
    text +=
        std::to_string(size.first) + ',' + std::to_string(size.second) + ',' + std::to_string(count) + '\n';
  return text;
}

std::string ImageFiles::remark() const {
  std::vector<std::pair<std::string, std::uint64_t>> kinds(not_read_.begin(), not_read_.end());
  std::ranges::stable_sort(kinds, std::ranges::greater(), [](const auto& kind) { return kind.second; });
  for (; kinds.size() > kMostKinds; kinds.pop_back())
    kinds[kMostKinds - 1] = {"other file", kinds[kMostKinds - 1].second + kinds.back().second};
  std::string list;
  for (const auto& [kind, count] : kinds) add_to_list(list, counted(count, kind));
  return list.empty() ? "" : "not read: " + list;
}

std::string ImageFiles::joined_remark() const {
  if (behind_ends_ == 0) return {};
  return "joined archives are read as one archive: " + counted(behind_ends_, "member") +
         " after the end of the first one, where tar and WebDataset readers stop";
}

}  // namespace spillway
