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

Colour colour(std::uint32_t rgb);  // 0xrrggbb, as the constants of words/colours.css

std::string to_string(Colour colour);  // "#rrggbb"

// Returns true if white text is easier to read on it than black text.
bool is_dark(Colour colour);

// Maps values in [low, high] to colours. Contract: low < high.
class ColourScale {
 public:
  // viridis (S. van der Walt, N. Smith 2015): perceptually uniform, also for readers who do not see colours.
  static ColourScale sequential(double low, double high);
  // RdBu (ColorBrewer, C. Brewer): blue above `centre` and red below, or the reverse. Values at equal
  // distances from the centre have equally strong colours.
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

// The unordered lines after which colours begin again. Then lines are dashed, and points have other shapes.
inline constexpr std::size_t kLineColours = 5;

// Colours for `count` lines, of viridis. Ordered lines go from dark to light.
std::vector<Colour> line_colours(std::size_t count, bool ordered);
// The same for ordered lines on a dark ground: from light to dark.
std::vector<Colour> dark_line_colours(std::size_t count);

}  // namespace spillway
