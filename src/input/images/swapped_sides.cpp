#include "input/images/swapped_sides.h"

namespace spillway {
namespace {

constexpr std::uint64_t kFew = 20;      // fewer images than this say nothing about a list
constexpr double kMost = 0.9;           // share of upright images that causes a question
constexpr std::uint64_t kLikelier = 2;  // factor by which the likelier order must occur more often

std::string of(std::uint64_t part, std::uint64_t all) {
  return std::to_string(part) + " of " + std::to_string(all);
}

}  // namespace

void SwappedSides::add(ImageSize size, std::uint64_t count) {
  if (size.width > size.height) wide_ += count;
  if (size.width < size.height) upright_ += count;
}

void SwappedSides::add_box(ImageSize image, double right, double bottom) {
  ++boxes_;
  beyond_ += right > image.width || bottom > image.height;
  all_within_swapped_ = all_within_swapped_ && right <= image.height && bottom <= image.width;
}

std::string SwappedSides::remark() const {
  if (beyond_ > 0 && all_within_swapped_)
    return of(beyond_, boxes_) +
           " boxes reach beyond their image, and none would with width and height swapped; are the columns "
           "height,width?";
  const std::uint64_t all = wide_ + upright_;
  if (boxes_ > 0 || all < kFew || static_cast<double>(upright_) < kMost * static_cast<double>(all)) return "";
  return of(upright_, all) +
         " images that are not square are higher than wide, which is rare among photographs; are the columns "
         "height,width?";
}

std::string SwappedSides::likelier_order() const {
  const std::uint64_t all = wide_ + upright_;
  if (wide_ >= kLikelier * upright_ && wide_ > 0)
    return "the first number is the larger one in " + of(wide_, all) + "; are the columns width,height?";
  if (upright_ >= kLikelier * wide_ && upright_ > 0)
    return "the second number is the larger one in " + of(upright_, all) +
           "; are the columns height,width, or width,height of upright images?";
  return "";
}

}  // namespace spillway
