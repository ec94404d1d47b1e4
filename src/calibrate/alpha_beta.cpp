#include "calibrate/alpha_beta.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "base/error.h"
#include "calibrate/relative_fit.h"

namespace spillway {
namespace {

constexpr double kTelling = 0.05;  // share of the time at the point where a term is largest

// The factors of both terms, row by row: 1 for the latency, the bytes for the other.
std::vector<double> both_terms(const SizedTimes& points) {
  std::vector<double> terms;
  for (const auto& [bytes, time] : points) terms.insert(terms.end(), {1.0, bytes.value()});
  return terms;
}

std::vector<double> one_term(const SizedTimes& points, bool latency) {
  std::vector<double> terms;
  for (const auto& [bytes, time] : points) terms.push_back(latency ? 1.0 : bytes.value());
  return terms;
}

using Terms = std::array<Estimated, 2>;  // latency, time per byte

// The largest share of the time that each term has at any point.
std::array<double, 2> shares_of(const SizedTimes& points, const Terms& terms) {
  std::array<double, 2> shares = {0, 0};
  for (const auto& [bytes, time] : points) {
    shares[0] = std::max(shares[0], terms[0].value / time.value());
    shares[1] = std::max(shares[1], terms[1].value * bytes.value() / time.value());
  }
  return shares;
}

// If a term is below 0 or too small, it is 0 and the other is fitted alone.
Terms fit_terms(const SizedTimes& points) {
  std::vector<double> times;
  for (const auto& [bytes, time] : points) times.push_back(time.value());
  const auto both = relative_fit(both_terms(points), 2, times);
  ensure(both.has_value(), "three different sizes determine two terms");
  Terms terms = {both->front(), both->back()};
  const std::array<double, 2> shares = shares_of(points, terms);
  for (const int i : {0, 1}) {
    if (shares[i] >= kTelling) continue;
    terms[i] = {0, 0, std::max(0.0, terms[i].high)};
    terms[1 - i] = relative_fit(one_term(points, i == 1), 1, times)->front();
  }
  return terms;
}

FittedTerm term(const Estimated& estimated, const char* bound_by) {
  FittedTerm fitted{estimated.value, std::max(0.0, estimated.low), estimated.high};
  if (estimated.value == 0)
    fitted.unknown = bound_by;
  else if (estimated.low <= 0)
    fitted.unknown = "so few sizes, or so scattered times, that its 95 % interval reaches 0";
  return fitted;
}

AlphaBeta unknown(std::string why) {
  AlphaBeta none;
  none.latency.unknown = none.per_byte.unknown = std::move(why);
  return none;
}

// The fitted times at the knots (indices into the points), and the squared relative errors of their curve.
struct Curve {
  std::vector<double> times;
  double squares;
};

Curve curve_at(const SizedTimes& points, const std::vector<std::size_t>& knots) {
  const auto size = static_cast<Eigen::Index>(knots.size());
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(size, size);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(size);
  // Every point affects the two knots around it.
  const auto each = [&](const auto& visit) {
    for (std::size_t i = 0, k = 0; i < points.size(); ++i) {
      while (k + 2 < knots.size() && i > knots[k + 1]) ++k;
      const Bytes from = points[knots[k]].first, to = points[knots[k + 1]].first;
      const double along = (points[i].first - from) / (to - from), weight = 1 / points[i].second.value();
      visit(static_cast<Eigen::Index>(k), (1 - along) * weight, along * weight);
    }
  };
  each([&](Eigen::Index k, double before, double after) {
    normal(k, k) += before * before;
    normal(k, k + 1) += before * after;
    normal(k + 1, k) += before * after;
    normal(k + 1, k + 1) += after * after;
    right[k] += before;
    right[k + 1] += after;
  });
  const Eigen::VectorXd times = normal.ldlt().solve(right);
  double squares = 0;
  each([&](Eigen::Index k, double before, double after) {
    const double error = before * times[k] + after * times[k + 1] - 1;
    squares += error * error;
  });
  return {{times.begin(), times.end()}, squares};
}

// Schwarz's criterion. Errors below 0.01 % count as none.
double criterion(const Curve& curve, std::size_t points) {
  const double n = static_cast<double>(points), knots = static_cast<double>(curve.times.size());
  return n * std::log(std::max(curve.squares / n, 1e-8)) + 2 * knots * std::log(n);
}

// Adds the knot that leaves the least error. It tries at most a hundred sizes, evenly spaced through the
// points.
std::vector<std::size_t> with_best(const SizedTimes& points, const std::vector<std::size_t>& knots) {
  constexpr std::size_t kTried = 100;
  const std::size_t stride = 1 + points.size() / kTried;
  std::vector<std::size_t> best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = stride; i + 1 < points.size(); i += stride) {
    if (std::binary_search(knots.begin(), knots.end(), i)) continue;
    std::vector<std::size_t> more = knots;
    more.insert(std::lower_bound(more.begin(), more.end(), i), i);
    const Curve curve = curve_at(points, more);
    if (curve.squares >= least) continue;
    least = curve.squares;
    best = std::move(more);
  }
  return best;
}

// Removes knots that later knots made useless.
std::vector<std::size_t> pruned(const SizedTimes& points, std::vector<std::size_t> knots) {
  double least = criterion(curve_at(points, knots), points.size());
  for (std::size_t k = 1; k + 1 < knots.size();) {
    std::vector<std::size_t> fewer = knots;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
    const double now = criterion(curve_at(points, fewer), points.size());
    if (now < least) {
      least = now;
      knots = std::move(fewer);
      k = 1;
    } else {
      ++k;
    }
  }
  return knots;
}

}  // namespace

AlphaBeta fit_alpha_beta(const SizedTimes& points) {
  if (points.size() < 3) return unknown(points.size() == 1 ? "one size only" : "fewer than three sizes");
  const auto [latency, per_byte] = fit_terms(points);
  return {term(latency, "every size is bound by bandwidth"),
          term(per_byte, "every size is bound by latency")};
}

SizedTimes fit_curve(const SizedTimes& points, std::size_t most_knots) {
  ensure(!points.empty() && most_knots >= 2, "fit_curve: points, and two knots or more");
  if (points.size() <= 2) return points;
  const std::size_t most = std::max<std::size_t>(2, std::min(most_knots, points.size() / 2));
  std::vector<std::size_t> knots = {0, points.size() - 1}, best = knots;
  double least = criterion(curve_at(points, knots), points.size());
  while (knots.size() < most) {
    knots = with_best(points, knots);
    if (knots.empty()) break;
    const double now = criterion(curve_at(points, knots), points.size());
    if (now < least) least = now, best = knots;
  }
  best = pruned(points, std::move(best));
  const Curve curve = curve_at(points, best);
  SizedTimes fitted;
  for (std::size_t k = 0; k < best.size(); ++k) {
    const auto& [bytes, measured] = points[best[k]];
    fitted.emplace_back(bytes, curve.times[k] > 0 ? Seconds(curve.times[k]) : measured);
  }
  return fitted;
}

}  // namespace spillway
