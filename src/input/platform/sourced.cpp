#include "input/platform/sourced.h"

#include <cstdio>

#include "base/text.h"

namespace spillway {
namespace {

using Bounds = std::pair<double, double>;

std::optional<Bounds> read_bounds(const Place& place, std::optional<double> value) {
  const auto ends = read_list(place);
  if (!ends) return std::nullopt;
  if (ends->size() != 2) {
    place.refuse("[low, high]");
    return std::nullopt;
  }
  const auto low = read_number((*ends)[0], Range{}), high = read_number((*ends)[1], Range{});
  if (!low || !high || !value) return std::nullopt;
  if (*low <= *value && *value <= *high) return Bounds{*low, *high};
  place.refuse("an interval that contains the value");
  return std::nullopt;
}

std::string certainty_text(const std::optional<Bounds>& interval,
                           const std::optional<std::uint32_t>& points) {
  if (!interval && !points) return "";
  std::string text = " (";
  if (interval) {
    char bounds[80];
    std::snprintf(bounds, sizeof bounds, "95 %% interval %g to %g", interval->first, interval->second);
    text += bounds;
  }
  if (interval && points) text += ", ";
  if (points) text += counted(*points, "measurement");
  return text + ")";
}

}  // namespace

std::optional<RelativeInterval> read_interval(const Place& place, double value) {
  const auto bounds = read_bounds(place, value);
  if (!bounds) return std::nullopt;
  return RelativeInterval{bounds->first / value, bounds->second / value};
}

std::optional<Certainty> read_certainty(const Fields& fields, std::optional<double> value) {
  const auto interval = fields.get("interval", [&](const Place& p) { return read_bounds(p, value); });
  const auto points = fields.get("points", [](const Place& p) { return read_count(p); });
  if ((fields.at("interval") && !interval) || (fields.at("points") && !points)) return std::nullopt;
  Certainty certainty{certainty_text(interval, points), {}};
  if (interval && *value > 0) certainty.interval = {interval->first / *value, interval->second / *value};
  return certainty;
}

}  // namespace spillway
