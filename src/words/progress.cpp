#include "words/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "words/with_commas.h"

namespace spillway {
namespace {

constexpr std::size_t kLongestBar = 40, kShortestBar = 8;

double share(const Progress& progress) {
  const auto total = static_cast<double>(progress.total);
  return progress.total == 0 ? 1 : static_cast<double>(progress.done) / total;
}

std::string percent(const Progress& progress) {
  return fmt::format("{:3.0f} %", std::floor(100 * share(progress)));
}

// Points per second of this run; 0 if there is no data yet.
double rate_of(const Progress& progress) {
  const auto done = static_cast<double>(progress.done - progress.done_before);
  return progress.seconds > 0 ? done / progress.seconds : 0;
}

std::string rate_text(double rate, std::string_view what) {
  if (rate >= 100)
    return fmt::format("{} {}/s", with_commas(static_cast<std::uint64_t>(std::llround(rate))), what);
  return fmt::format("{:.3g} {}/s", rate, what);
}

// Rounds up, so that the time left is never zero.
std::string time_left_text(double seconds) {
  const double whole = std::ceil(seconds);
  if (whole < 120) return fmt::format("{:.0f} s", whole);
  const double minutes = std::ceil(seconds / 60);
  if (minutes < 120) return fmt::format("{:.0f} min", minutes);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string pace(const Progress& progress) {
  const double rate = rate_of(progress);
  if (rate <= 0) return "";
  const std::string so_far = "  " + rate_text(rate, progress.what);
  if (progress.done >= progress.total) return so_far;
  return so_far + "  " + time_left_text(static_cast<double>(progress.total - progress.done) / rate) + " left";
}

std::string bar(const Progress& progress, std::size_t length) {
  const auto full = static_cast<std::size_t>(share(progress) * static_cast<double>(length));
  return "[" + std::string(full, '#') + std::string(length - full, '.') + "]";
}

}  // namespace

std::string progress_text(const Progress& progress) {
  return percent(progress) + "  " + with_commas(progress.done) + " of " + with_commas(progress.total) + ' ' +
         std::string(progress.what) + pace(progress);
}

// The last column stays empty: some terminals begin a new line after it.
std::string progress_line(const Progress& progress, std::size_t columns) {
  const std::size_t room = columns > 0 ? columns - 1 : 0;
  std::string text = progress_text(progress);
  const std::size_t taken = text.size() + 3;  // brackets and a space
  if (room >= taken + kShortestBar) text = bar(progress, std::min(kLongestBar, room - taken)) + " " + text;
  text.resize(room, ' ');
  return "\r" + text;
}

bool is_line_due(const Progress& last, const Progress& now) {
  if (now.done >= now.total) return true;
  const double since = now.seconds - last.seconds;
  const bool is_step = 20 * (now.done - last.done) >= now.total;
  return (is_step && since >= 2) || (now.done > last.done && since >= 60);
}

}  // namespace spillway
