#include "calibrate/roofline_fit.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace spillway {
namespace {

constexpr std::ptrdiff_t kFewest = 3;

// An operator's prediction relative to its measured time: by computing (per second per FLOP), and by its
// bytes.
struct Bounds {
  double computing;
  double moving;

  double corner() const { return moving / computing; }
};

std::vector<Bounds> by_corner(std::span<const TimedWork> measured, BytesPerSecond memory) {
  std::vector<Bounds> all;
  all.reserve(measured.size());
  for (const auto& [work, time] : measured)
    all.push_back({work.flops.value() / time.value(), work.traffic / memory / time});
  std::sort(all.begin(), all.end(), [](const Bounds& a, const Bounds& b) { return a.corner() < b.corner(); });
  return all;
}

double squared(double x) {
  return x * x;
}

struct Best {
  std::size_t computing = 0;  // number of operators that compute, by corner
  double per_flop = 0;        // a
};

Best best_of_pieces(const std::vector<Bounds>& all) {
  double rest = 0;
  for (const Bounds& b : all) rest += squared(b.moving - 1);
  double sum = 0, squares = 0, least = rest;
  Best best;
  for (std::size_t i = 0; i < all.size(); ++i) {
    sum += all[i].computing;
    squares += squared(all[i].computing);
    rest -= squared(all[i].moving - 1);
    const double end = i + 1 < all.size() ? all[i + 1].corner() : std::numeric_limits<double>::infinity();
    const double a = std::clamp(sum / squares, all[i].corner(), end);
    const double missed = rest + a * a * squares - 2 * a * sum + static_cast<double>(i + 1);
    if (missed < least) {
      least = missed;
      best = {i + 1, a};
    }
  }
  return best;
}

}  // namespace

Seconds roofline_time(const OperatorWork& work, FlopsPerSecond achieved, BytesPerSecond memory) {
  return std::max(work.flops / achieved, work.traffic / memory);
}

std::optional<RooflineFit> fit_roofline(std::span<const TimedWork> measured, FlopsPerSecond peak,
                                        BytesPerSecond memory) {
  const std::vector<Bounds> all = by_corner(measured, memory);
  const auto bound_at_peak = std::count_if(
      all.begin(), all.end(), [&](const Bounds& bounds) { return bounds.corner() < 1 / peak.value(); });
  if (bound_at_peak < kFewest) return std::nullopt;
  const auto [computing, a] = best_of_pieces(all);
  if (std::cmp_less(computing, kFewest)) return std::nullopt;
  std::vector<double> terms;
  for (std::size_t i = 0; i < computing; ++i) terms.push_back(all[i].computing);
  const auto fitted = relative_fit(terms, 1, std::vector<double>(computing, 1.0));
  // A clamped minimum lies on a corner, away from the unbounded fit.
  const double low = std::min(a, fitted->front().low), high = std::max(a, fitted->front().high);
  if (low <= 0) return std::nullopt;
  const auto share = [peak](double per_flop) { return 1 / (per_flop * peak.value()); };
  return RooflineFit{{share(a), share(high), share(low)}, computing};
}

}  // namespace spillway
