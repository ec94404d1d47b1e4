#include "sweep/plot/colours.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "words/colour_list.h"

namespace spillway {
namespace {

using Stops = std::vector<std::uint32_t>;

const Stops kViridis(colours::kViridis.begin(), colours::kViridis.end());
const Stops kRedToBlue(colours::kRedToBlue.begin(), colours::kRedToBlue.end());
constexpr std::array<std::uint32_t, kLineColours> kSeries = {
    colours::kSeries1, colours::kSeries2, colours::kSeries3, colours::kSeries4, colours::kSeries5};

std::uint8_t between(std::uint8_t from, std::uint8_t to, double share) {
  return static_cast<std::uint8_t>(std::lround(from + (to - from) * share));
}

// The colour at `share` (0 to 1) of the way through the stops.
Colour along(const Stops& stops, double share) {
  const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
  const std::size_t left = std::min(static_cast<std::size_t>(place), stops.size() - 2);
  const Colour from = colour(stops[left]), to = colour(stops[left + 1]);
  const double rest = place - static_cast<double>(left);
  return {between(from.red, to.red, rest), between(from.green, to.green, rest),
          between(from.blue, to.blue, rest)};
}

// Lines take this share of the scale viridis, from its end that is further from the background: lighter
// yellow is hard to see on white.
constexpr double kReach = 0.85;

// The place of line i, from 0 to 1.
double place_of(std::size_t i, std::size_t count) {
  return static_cast<double>(i) / static_cast<double>(std::max<std::size_t>(count - 1, 1));
}

}  // namespace

Colour colour(std::uint32_t rgb) {
  return {static_cast<std::uint8_t>(rgb >> 16), static_cast<std::uint8_t>(rgb >> 8),
          static_cast<std::uint8_t>(rgb)};
}

std::string to_string(Colour c) {
  return fmt::format("#{:02x}{:02x}{:02x}", c.red, c.green, c.blue);
}

// Uses the luma of ITU-R BT.601.
bool is_dark(Colour c) {
  return 0.299 * c.red + 0.587 * c.green + 0.114 * c.blue < 140;
}

ColourScale ColourScale::sequential(double low, double high) {
  return {low, high, low, high, kViridis};
}

ColourScale ColourScale::diverging(double low, double high, double centre, bool blue_above) {
  const double reach = std::max(std::abs(high - centre), std::abs(low - centre));
  Stops stops = kRedToBlue;
  if (!blue_above) std::reverse(stops.begin(), stops.end());
  return {low, high, centre - reach, centre + reach, stops};
}

Colour ColourScale::at(double value) const {
  return along(stops_, (value - first_) / (last_ - first_));
}

std::vector<Colour> line_colours(std::size_t count, bool ordered) {
  std::vector<Colour> colours;
  for (std::size_t i = 0; i < count; ++i)
    colours.push_back(ordered ? along(kViridis, kReach * place_of(i, count))
                              : colour(kSeries[i % kSeries.size()]));
  return colours;
}

std::vector<Colour> dark_line_colours(std::size_t count) {
  std::vector<Colour> colours;
  for (std::size_t i = 0; i < count; ++i) colours.push_back(along(kViridis, 1 - kReach * place_of(i, count)));
  return colours;
}

}  // namespace spillway
