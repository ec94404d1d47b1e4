#include "sweep/plot/colours.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace spillway {
namespace {

const std::vector<std::uint32_t> kViridis = {0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e,
                                             0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b, 0xfde725};
const std::vector<std::uint32_t> kRedToBlue = {0x67001f, 0xb2182b, 0xd6604d, 0xf4a582, 0xfddbc7, 0xf7f7f7,
                                               0xd1e5f0, 0x92c5de, 0x4393c3, 0x2166ac, 0x053061};
const std::vector<std::uint32_t> kTellApart = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                               0xe69f00, 0x56b4e9, 0x000000};

Colour colour(std::uint32_t rgb) {
  return {static_cast<std::uint8_t>(rgb >> 16), static_cast<std::uint8_t>(rgb >> 8),
          static_cast<std::uint8_t>(rgb)};
}

std::uint8_t between(std::uint8_t from, std::uint8_t to, double share) {
  return static_cast<std::uint8_t>(std::lround(from + (to - from) * share));
}

// The colour at `share` (0 to 1) of the way through the stops.
Colour along(const std::vector<std::uint32_t>& stops, double share) {
  const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
  const std::size_t left = std::min(static_cast<std::size_t>(place), stops.size() - 2);
  const Colour from = colour(stops[left]), to = colour(stops[left + 1]);
  const double rest = place - static_cast<double>(left);
  return {between(from.red, to.red, rest), between(from.green, to.green, rest),
          between(from.blue, to.blue, rest)};
}

}  // namespace

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
  std::vector<std::uint32_t> stops = kRedToBlue;
  if (!blue_above) std::reverse(stops.begin(), stops.end());
  return {low, high, centre - reach, centre + reach, stops};
}

Colour ColourScale::at(double value) const {
  return along(stops_, (value - first_) / (last_ - first_));
}

std::vector<Colour> line_colours(std::size_t count, bool ordered) {
  std::vector<Colour> colours;
  constexpr double lightest = 0.85;  // lighter yellow is hard to see on white
  for (std::size_t i = 0; i < count; ++i)
    colours.push_back(ordered ? along(kViridis, lightest * static_cast<double>(i) /
                                                    static_cast<double>(std::max<std::size_t>(count - 1, 1)))
                              : colour(kTellApart[i % kTellApart.size()]));
  return colours;
}

}  // namespace spillway
