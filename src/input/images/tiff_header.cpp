#include "input/images/tiff_header.h"

#include <cstdint>

namespace spillway {
namespace {

constexpr std::uint64_t kMostEntries = 65'535;  // TIFF 6.0; no BigTIFF has as many

// Tags and types of TIFF 6.0 and BigTIFF.
constexpr std::uint64_t kNewSubfileType = 254, kSubfileType = 255, kWidth = 256, kLength = 257;
constexpr std::uint64_t kShort = 3, kLong = 4, kLong8 = 16;
constexpr std::uint64_t kReduced = 1;     // bit of NewSubfileType
constexpr std::uint64_t kReducedOld = 2;  // value of SubfileType

// The sizes of a file's parts in bytes.
struct TiffForm {
  bool big_endian;
  std::size_t offset, count, entry;

  std::uint64_t number(std::string_view bytes) const {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      value = value << 8 | static_cast<unsigned char>(bytes[big_endian ? i : bytes.size() - 1 - i]);
    return value;
  }
  std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t size) const {
    return number(bytes.substr(at, size));
  }
};

std::optional<TiffForm> form_of(std::string_view head) {
  constexpr std::string_view endings[] = {{"II*\0", 4}, {"MM\0*", 4}, {"II+\0", 4}, {"MM\0+", 4}};
  for (std::size_t i = 0; i < 4; ++i)
    if (head.starts_with(endings[i]))
      return i < 2 ? TiffForm{i % 2 == 1, 4, 2, 12} : TiffForm{i % 2 == 1, 8, 8, 20};
  return std::nullopt;
}

// Reads places of a file in ascending order.
class Forward {
 public:
  Forward(std::string_view head, const ImageBytes& rest) : head_(head), rest_(rest), read_(head.size()) {}

  // Returns up to `size` bytes from `at`; fewer if the file ends.
  std::string bytes(std::uint64_t at, std::size_t size) {
    std::string found;
    if (at < head_.size()) found = head_.substr(static_cast<std::size_t>(at), size);
    if (found.size() == size || at + found.size() < read_) return found;
    rest_.pass_over(at + found.size() - read_);
    found += rest_.read(size - found.size());
    read_ = at + found.size();
    return found;
  }

 private:
  std::string_view head_;
  const ImageBytes& rest_;
  std::uint64_t read_;  // bytes so far
};

// The value of an entry that has one number; 0 for others.
std::uint64_t value_of(std::string_view entry, const TiffForm& form) {
  const std::uint64_t type = form.number(entry, 2, 2);
  const std::size_t size = type == kShort ? 2 : type == kLong ? 4 : type == kLong8 ? 8 : 0;
  const std::size_t at = 4 + form.offset;
  return size <= form.offset && form.number(entry, 4, form.offset) == 1 ? form.number(entry, at, size) : 0;
}

std::optional<TiffPicture> picture_in(std::string_view entries, const TiffForm& form) {
  std::uint64_t width = 0, height = 0;
  TiffPicture picture{};
  for (; entries.size() >= form.entry; entries.remove_prefix(form.entry)) {
    const std::uint64_t tag = form.number(entries, 0, 2), value = value_of(entries, form);
    if (tag == kWidth) width = value;
    if (tag == kLength) height = value;
    if ((tag == kNewSubfileType && (value & kReduced) != 0) || (tag == kSubfileType && value == kReducedOld))
      picture.is_preview = true;
  }
  if (width == 0 || height == 0 || width > UINT32_MAX || height > UINT32_MAX) return std::nullopt;
  picture.size = {static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height)};
  return picture;
}

}  // namespace

bool is_tiff(std::string_view head) {
  return form_of(head).has_value();
}

std::optional<TiffPicture> tiff_picture(std::string_view head, const ImageBytes& rest) {
  const std::optional<TiffForm> form = form_of(head);
  const std::size_t at = form ? form->offset : 0;
  if (!form || head.size() < 2 * at) return std::nullopt;
  const std::uint64_t directory = form->number(head, at, at);
  if (directory < 2 * at || directory > UINT64_MAX / 2) return std::nullopt;
  Forward file(head, rest);
  const std::string count = file.bytes(directory, form->count);
  const std::uint64_t entries = form->number(count);
  if (count.size() < form->count || entries > kMostEntries) return std::nullopt;
  const std::size_t size = static_cast<std::size_t>(entries) * form->entry;
  const std::string content = file.bytes(directory + form->count, size + form->offset);
  if (content.size() < size) return std::nullopt;
  std::optional<TiffPicture> picture = picture_in(std::string_view(content).substr(0, size), *form);
  if (picture) picture->has_followers = form->number(std::string_view(content).substr(size)) != 0;
  return picture;
}

}  // namespace spillway
