// Says whether a list's width and height may be swapped: the evidence, and its words. Private to src/input.
//
// Boxes decide it, since they lie within their image. Without boxes only shapes are known: most photographs
// are wider than high, but most pages and phone screens are not. So a list of almost only upright images
// causes a question, never a change.
#pragma once

#include <cstdint>
#include <string>

#include "workload/images.h"

namespace spillway {

class SwappedSides {
 public:
  void add(ImageSize size, std::uint64_t count = 1);
  // Adds a box of an image, with its right and bottom edges in pixels.
  void add_box(ImageSize image, double right, double bottom);

  // Returns a question to the owner of the list; empty if nothing looks swapped.
  std::string remark() const;

  // For two unnamed numbers, added as width and height: returns the evidence and a question such as "are the
  // columns width,height?"; empty if neither order is likelier.
  std::string likelier_order() const;

 private:
  std::uint64_t wide_ = 0, upright_ = 0;  // images, without square ones
  std::uint64_t boxes_ = 0, beyond_ = 0;  // boxes, and boxes that reach beyond their image
  bool all_within_swapped_ = true;        // whether all boxes fit with swapped sides
};

}  // namespace spillway
