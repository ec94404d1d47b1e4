// Colours of pictures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spillway {

struct Colour {
  std::uint8_t red, green, blue;
};

std::string to_string(Colour colour);  // "#rrggbb"

// Is white text on it read better than black?
bool is_dark(Colour colour);

// Values to colours over [low, high]. Contract: low < high.
class ColourScale {
 public:
  // viridis (S. van der Walt, N. Smith 2015): perceptually uniform, also without colour vision.
  static ColourScale sequential(double low, double high);
  // RdBu (ColorBrewer, C. Brewer), blue above `centre` and red below, or the other way round; equal distances
  // from the centre are equally strong.
  static ColourScale diverging(double low, double high, double centre, bool blue_above);

  Colour at(double value) const;
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  ColourScale(double low, double high, double first, double last, std::vector<std::uint32_t> stops)
      : low_(low), high_(high), first_(first), last_(last), stops_(std::move(stops)) {}

  double low_, high_;
  double first_, last_;  // values of the first and the last stop
  std::vector<std::uint32_t> stops_;
};

// Of `count` lines, told apart: unordered ones (Okabe and Ito 2008), or from dark to light in their order.
std::vector<Colour> line_colours(std::size_t count, bool ordered);

}  // namespace spillway
