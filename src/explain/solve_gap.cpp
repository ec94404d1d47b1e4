#include "explain/solve_gap.h"

#include <fmt/format.h>

#include <cmath>

namespace spillway {
namespace {

constexpr int kMostSteps = 12;
constexpr double kNearEnough = 1e-4;  // of the measured step

double with_four_digits(double value) {
  if (value == 0) return 0;
  const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) - 3);
  return std::round(value / unit) * unit;
}

// A value, and what the step there is above the measured one, as a share of it.
struct Tried {
  double x, above;
};

class Solver {
 public:
  Solver(const GapScale& scale, Seconds measured, const StepAt& step_at)
      : scale_(scale), measured_(measured), step_at_(step_at) {}

  std::optional<double> value_towards(double end) const {
    const auto near = tried(scale_.now), far = tried(end);
    if (!near || !far) return std::nullopt;
    if (near->above * far->above >= 0) return end;
    return between(*near, *far);
  }

 private:
  double x_of(double value) const { return scale_.is_speed ? 1 / value : value; }
  double value_of(double x) const { return with_four_digits(scale_.is_speed ? 1 / x : x); }

  std::optional<Tried> tried(double value) const {
    const auto step = step_at_(value);
    return step ? std::optional(Tried{x_of(value), step->makespan / measured_ - 1}) : std::nullopt;
  }

  std::optional<double> between(Tried a, Tried b) const {
    double value = value_of(b.x);
    for (int i = 0; i < kMostSteps; ++i) {
      value = value_of((a.x * b.above - b.x * a.above) / (b.above - a.above));
      const auto now = tried(value);
      if (!now) return std::nullopt;
      if (std::abs(now->above) <= kNearEnough) break;
      if (now->above * b.above > 0)
        a.above /= 2;
      else
        a = b;
      b = *now;
    }
    return value;
  }

  const GapScale& scale_;
  Seconds measured_;
  const StepAt& step_at_;
};

}  // namespace

std::optional<double> solve_gap(const GapScale& scale, bool slower, Seconds measured, const StepAt& step_at) {
  const double end = slower ? scale.slower : scale.faster;
  if (end == scale.now) return std::nullopt;
  return Solver(scale, measured, step_at).value_towards(end);
}

std::string number_in_words(double value) {
  return fmt::format("{:.4g}", value);
}

}  // namespace spillway
