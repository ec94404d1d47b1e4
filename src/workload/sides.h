// The two sides of an image during scaling: whole multiples of a rule's factor, as doubles. Private to
// src/workload.
#pragma once

#include <algorithm>
#include <cmath>

#include "workload/images.h"

namespace spillway {

inline double factor_of(const ResizeRule& rule) {
  return static_cast<double>(rule.patch) * rule.merge;
}

struct Sides {
  double width;
  double height;

  double area() const { return width * height; }
};

inline double area(ImageSize size) {
  return static_cast<double>(std::uint64_t{size.width} * size.height);
}

// Python's round() rounds halves to even; so does nearbyint in the default rounding mode.
inline Sides rounded(ImageSize size, double factor) {
  return {std::nearbyint(size.width / factor) * factor, std::nearbyint(size.height / factor) * factor};
}

inline Sides shrunk(ImageSize size, double factor, double max_pixels) {
  const double scale = std::sqrt(area(size) / max_pixels);
  const auto side = [&](double length) {
    return std::max(factor, std::floor(length / scale / factor) * factor);
  };
  return {side(size.width), side(size.height)};
}

inline Sides grown(ImageSize size, double factor, double min_pixels) {
  const double scale = std::sqrt(min_pixels / area(size));
  const auto side = [&](double length) { return std::ceil(length * scale / factor) * factor; };
  return {side(size.width), side(size.height)};
}

}  // namespace spillway
