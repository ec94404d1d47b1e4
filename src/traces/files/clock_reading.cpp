#include "traces/files/clock_reading.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"

namespace spillway {
namespace {

constexpr std::string_view kExponents = "eE";
constexpr double kBeyond = 9.2e18;

}  // namespace

std::optional<ClockReading> ClockReading::parse(std::string_view text) {
  ClockReading reading;
  const std::size_t point = std::min(text.find('.'), text.size());
  if (text.find_first_of(kExponents) != text.npos) {
    const auto value = number_from<double>(text);
    if (!value || !(std::abs(*value) < kBeyond)) return std::nullopt;
    reading.whole_ = static_cast<std::int64_t>(*value);
    reading.rest_ = *value - static_cast<double>(reading.whole_);
    return reading;
  }
  const auto whole = number_from<std::int64_t>(text.substr(0, point));
  if (!whole) return std::nullopt;
  reading.whole_ = *whole;
  if (point == text.size()) return reading;
  const std::string_view digits = text.substr(point);  // ".250"
  const auto rest = number_from<double>(digits);
  if (!rest) return std::nullopt;
  reading.rest_ = text.starts_with('-') ? -*rest : *rest;
  return reading;
}

Seconds ClockReading::since(const ClockReading& earlier) const {
  return microseconds(static_cast<double>(whole_ - earlier.whole_) + (rest_ - earlier.rest_));
}

double ClockReading::seconds() const {
  return (static_cast<double>(whole_) + rest_) * 1e-6;
}

}  // namespace spillway
