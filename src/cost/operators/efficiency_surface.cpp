#include "cost/operators/efficiency_surface.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/error.h"

namespace spillway {
namespace {

// A row is launch-bound if it takes this many times its other bounds.
constexpr double kLaunchBound = 10;
constexpr double kFar = 1.3862943611198906;  // log 4
// Rows of other work at the same point count as this near (squared).
constexpr double kTouching = 1e-12;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Merges rows that agree in everything but their time into one with the mean time.
std::vector<TimedShape> merged(std::vector<TimedShape> rows) {
  const auto shape = [](const TimedShape& row) { return std::tie(row.point, row.work); };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const TimedShape& a, const TimedShape& b) { return shape(a) < shape(b); });
  ensure(!rows.empty(), "a surface is fitted to at least one row");
  std::vector<TimedShape> unique;
  for (auto first = rows.begin(); first != rows.end();) {
    const auto last =
        std::find_if(first, rows.end(), [&](const TimedShape& row) { return shape(row) != shape(*first); });
    Seconds sum;
    for (auto row = first; row != last; ++row) sum += row->time;
    unique.push_back({first->point, first->work, sum / static_cast<double>(last - first)});
    first = last;
  }
  return unique;
}

std::vector<Point> points_of(const std::vector<TimedShape>& rows) {
  std::vector<Point> points;
  points.reserve(rows.size());
  for (const TimedShape& row : rows) points.push_back(row.point);
  return points;
}

}  // namespace

EfficiencySurface::EfficiencySurface(std::vector<TimedShape> measured, BytesPerSecond memory)
    : EfficiencySurface(Merged{merged(std::move(measured))}, memory) {}

EfficiencySurface::EfficiencySurface(const Merged& merged, BytesPerSecond memory)
    : memory_(memory), neighbours_(points_of(merged.rows)) {
  fit_bounds(merged.rows);
  rows_.reserve(merged.rows.size());
  for (const TimedShape& row : merged.rows) {
    rows_.push_back({row.work, std::log(row.time / bound(row.work))});
  }
}

void EfficiencySurface::fit_bounds(const std::vector<TimedShape>& rows) {
  for (const TimedShape& row : rows) {
    compute_ = std::max(compute_, FlopsPerSecond(row.work.flops.value() / row.time.value()));
    memory_ = std::max(memory_, BytesPerSecond(row.work.traffic.value() / row.time.value()));
  }
  Seconds shortest(kInfinity);
  for (const TimedShape& row : rows) {
    if (row.time > kLaunchBound * work_bound(row.work)) shortest = std::min(shortest, row.time);
  }
  if (shortest < Seconds(kInfinity)) launch_ = shortest;
}

Estimate EfficiencySurface::at(const Point& point, const OperatorWork& work) const {
  const Point inside = neighbours_.box().nearest(point);
  const Around around = look_around(inside, work);
  if (around.same && inside == point)
    return {bound(work) * std::exp(around.same->residual), Evidence::Measured};
  const bool far = inside != point || around.nearest > kFar * kFar;
  return {bound(work) * std::exp(around.residual), far ? Evidence::Extrapolated : Evidence::Derived};
}

EfficiencySurface::Around EfficiencySurface::look_around(const Point& point, const OperatorWork& work) const {
  Around around{0, kInfinity, nullptr};
  double weights = 0;
  neighbours_.visit(point, [&](double squared_distance, std::uint32_t index) {
    const Row& row = rows_[index];
    const double squared = std::max(squared_distance, kTouching);
    const double weight = 1 / (squared * squared);
    weights += weight;
    around.residual += weight * row.residual;
    around.nearest = std::min(around.nearest, squared_distance);
    if (squared_distance == 0 && row.work == work) around.same = &row;
  });
  around.residual /= weights;
  return around;
}

Seconds EfficiencySurface::work_bound(const OperatorWork& work) const {
  const double computing = work.flops.value() / compute_.value();
  const double moving = work.traffic.value() / memory_.value();
  return Seconds(std::sqrt(computing * computing + moving * moving));
}

Seconds EfficiencySurface::bound(const OperatorWork& work) const {
  return launch_ + work_bound(work);
}

}  // namespace spillway
