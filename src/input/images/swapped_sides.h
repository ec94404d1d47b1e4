// Whether what a list calls width and height may be height and width: the evidence, and its words. Private to
// src/input.
//
// Boxes decide it: they lie within their image. Without boxes there is the shape alone: most photographs are
// wider than high, most pages and screens of phones are not, so that a list of little else than upright
// images is worth a question, never a change.
#pragma once

#include <cstdint>
#include <string>

#include "workload/images.h"

namespace spillway {

class SwappedSides {
 public:
  void add(ImageSize size, std::uint64_t count = 1);
  // A box in an image reaches so far, in pixels.
  void add_box(ImageSize image, double right, double bottom);

  // A question to whoever has the list; empty where nothing looks swapped.
  std::string remark() const;

  // Of two numbers that nothing names, added as width and height: "looks like width,height?" and why; empty
  // where neither order is likelier.
  std::string likelier_order() const;

 private:
  std::uint64_t wide_ = 0, upright_ = 0;  // images, square ones left out
  std::uint64_t boxes_ = 0, beyond_ = 0;  // boxes, and those that reach beyond their image
  bool all_within_swapped_ = true;        // were its sides swapped
};

}  // namespace spillway
