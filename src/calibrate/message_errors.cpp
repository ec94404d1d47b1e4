#include "calibrate/message_errors.h"

#include <array>
#include <limits>
#include <utility>

#include "calibrate/message_groups.h"
#include "cost/network/collectives.h"

namespace spillway {
namespace {

// The ranges of latency, of the transition, and of bandwidth. A mean over all sizes would not show which is
// wrong.
struct SizeRange {
  const char* name;
  double from, below;  // bytes
};
constexpr std::array kRanges = {SizeRange{"below 64 kB", 0, 64e3}, SizeRange{"64 kB to 1 MB", 64e3, 1e6},
                                SizeRange{"from 1 MB", 1e6, std::numeric_limits<double>::infinity()}};

SizedTimes within(const SizedTimes& points, const SizeRange& range) {
  SizedTimes kept;
  for (const auto& [bytes, time] : points)
    if (range.from <= bytes.value() && bytes.value() < range.below) kept.emplace_back(bytes, time);
  return kept;
}

}  // namespace

HeldBackError size_errors(std::string what, const SizedTimes& points,
                          const std::function<Seconds(Bytes)>& price) {
  std::vector<double> errors;
  for (const auto& [bytes, measured] : points) errors.push_back(price(bytes) / measured - 1);
  return {error_summary(errors), std::move(what)};
}

std::vector<HeldBackError> message_errors(const Platform& platform, const Samples& measured) {
  std::vector<HeldBackError> errors;
  std::vector<Note> notes;
  for (const auto& [group, messages] : grouped(platform, {measured}, notes)) {
    const CollectiveTime time = collective_time(platform, group.operation, group.where);
    const Evidence evidence = time(messages.points.front().first).evidence;
    const auto price = [&](Bytes n) { return time(n).time; };
    const std::string name = name_of(platform, group);
    errors.push_back(size_errors(name + " (" + to_string(evidence) + ")", messages.points, price));
    for (const SizeRange& range : kRanges) {
      const SizedTimes points = within(messages.points, range);
      if (points.empty() || points.size() == messages.points.size()) continue;
      errors.push_back(size_errors(name + ", " + range.name, points, price));
    }
  }
  return errors;
}

}  // namespace spillway
