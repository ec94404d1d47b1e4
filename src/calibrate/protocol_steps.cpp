#include "calibrate/protocol_steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

#include "calibrate/relative_fit.h"
#include "cost/network/collectives.h"

namespace spillway {
namespace {

constexpr std::size_t kBeside = 4;      // sizes of a line
constexpr double kLeastJump = 0.1;      // share of the time
constexpr double kJumpOverScatter = 6;  // of the lines' own sizes

using Beside = std::span<const std::pair<Bytes, Seconds>>;

struct SideLine {
  double latency, per_byte, scatter;

  double at(Bytes n) const { return latency + per_byte * n.value(); }
};

SideLine side_line(Beside points) {
  std::vector<double> terms, times;
  for (const auto& [bytes, time] : points) {
    terms.insert(terms.end(), {1.0, bytes.value()});
    times.push_back(time.value());
  }
  const auto fitted = relative_fit(terms, 2, times);
  if (!fitted) return {0, 0, 0};
  SideLine line{fitted->front().value, fitted->back().value, 0};
  for (const auto& [bytes, time] : points)
    line.scatter = std::max(line.scatter, std::abs(line.at(bytes) / time.value() - 1));
  return line;
}

// Returns 0 if there is none.
double jump_between(Beside before, Beside after) {
  const SideLine left = side_line(before), right = side_line(after);
  const auto [last_size, last] = before.back();
  const auto [first_size, first] = after.front();
  const double expected_first = left.at(first_size), expected_last = right.at(last_size);
  if (expected_first <= 0 || expected_last <= 0) return 0;
  const double forward = first.value() / expected_first - 1, backward = expected_last / last.value() - 1;
  const double least = std::max(kLeastJump, kJumpOverScatter * std::max(left.scatter, right.scatter));
  const bool is_jump = forward * backward > 0 && std::min(std::abs(forward), std::abs(backward)) > least;
  return is_jump ? forward : 0;
}

// The criterion of fit_curve (Schwarz 1978), of any curve. The two knots of a step share one size.
double schwarz_of(const SizedTimes& knots, std::size_t steps, const SizedTimes& points) {
  const CollectiveTime time({knots, Evidence::Fitted, ""});
  double squares = 0;
  for (const auto& [bytes, measured] : points) {
    const double error = time(bytes).time / measured - 1;
    squares += error * error;
  }
  const double n = static_cast<double>(points.size()),
               parameters = static_cast<double>(2 * knots.size() - steps);
  return n * std::log(std::max(squares / n, 1e-8)) + parameters * std::log(n);
}

}  // namespace

std::vector<ProtocolStep> protocol_steps(const SizedTimes& points) {
  std::vector<ProtocolStep> steps;
  const Beside all(points);
  for (std::size_t i = kBeside; i + kBeside <= points.size(); ++i) {
    const double jump = jump_between(all.subspan(i - kBeside, kBeside), all.subspan(i, kBeside));
    if (jump != 0) steps.push_back({i - 1, jump});
  }
  return steps;
}

std::vector<ProtocolStep> largest_steps(std::vector<ProtocolStep> steps, std::size_t most) {
  if (steps.size() <= most) return steps;
  const auto size = [](const ProtocolStep& step) { return std::abs(std::log(1 + step.jump)); };
  std::ranges::stable_sort(steps, std::greater<>(), size);
  steps.resize(most);
  std::ranges::sort(steps, {}, &ProtocolStep::before);
  return steps;
}

std::vector<SizedTimes> parts_between(const SizedTimes& points, const std::vector<ProtocolStep>& steps) {
  std::vector<SizedTimes> parts(1);
  for (std::size_t i = 0, step = 0; i < points.size(); ++i) {
    parts.back().push_back(points[i]);
    if (step == steps.size() || steps[step].before != i) continue;
    ++step;
    parts.emplace_back();
  }
  return parts;
}

std::optional<SizedTimes> fit_stepped_curve(const std::vector<SizedTimes>& parts, std::size_t most_knots) {
  if (parts.size() < 2) return std::nullopt;
  SizedTimes points, knots;
  for (const SizedTimes& part : parts) {
    const SizedTimes curve = fit_curve(part, most_knots / parts.size());
    points.insert(points.end(), part.begin(), part.end());
    knots.insert(knots.end(), curve.begin(), curve.end());
  }
  const SizedTimes whole = fit_curve(points, most_knots);
  const bool better = schwarz_of(knots, parts.size() - 1, points) < schwarz_of(whole, 0, points);
  return better ? std::optional(std::move(knots)) : std::nullopt;
}

}  // namespace spillway
