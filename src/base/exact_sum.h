// Sums whose value does not depend on the order of their terms. A plan must not change when replicas change
// places, and a tie must remain a tie.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "base/quantity.h"

namespace spillway {

// The exact sum of the added doubles, rounded once. Contract: the terms and all partial sums are finite.
// Shewchuk 1997, Adaptive Precision Floating-Point Arithmetic, https://doi.org/10.1007/PL00009321, as in
// Python's math.fsum. Linear in the terms for terms of like size.
class ExactSum {
 public:
  void add(double term) {
    std::size_t kept = 0;
    for (double part : parts_) {
      if (std::abs(term) < std::abs(part)) std::swap(term, part);
      const double sum = term + part, lost = part - (sum - term);
      if (lost != 0) parts_[kept++] = lost;
      term = sum;
    }
    parts_.resize(kept);
    parts_.push_back(term);
  }
  template <class Unit>
  void add(Quantity<Unit> term) {
    add(term.value());
  }

  double value() const {
    std::size_t left = parts_.size();
    if (left == 0) return 0;
    double sum = parts_[--left], lost = 0;
    while (left > 0 && lost == 0) {
      const double before = sum, part = parts_[--left];
      sum = before + part;
      lost = part - (sum - before);
    }
    if (left > 0 && lost * parts_[left - 1] > 0) sum = half_way(sum, lost);
    return sum;
  }

  // Returns the sum divided by `count`, rounded as if once: it divides the rounded sum, and then the
  // remainder. So the mean of a list equals the mean of any number of copies of it. Contract: count is not 0.
  double over(double count) const {
    const double first = value() / count;
    ExactSum left = *this;
    const double product = first * count;
    left.add(-product);
    left.add(-std::fma(first, count, -product));
    return first + left.value() / count;
  }

 private:
  // Rounds a sum that lies half-way between two doubles in the direction of the smaller parts.
  static double half_way(double sum, double lost) {
    const double other = sum + 2 * lost;
    return other - sum == 2 * lost ? other : sum;
  }

  std::vector<double> parts_;  // ascending, none overlapping another
};

// Means of times, each over `count` terms.
inline std::vector<Seconds> means_over(double count, const std::vector<ExactSum>& sums) {
  std::vector<Seconds> means;
  for (const ExactSum& sum : sums) means.emplace_back(sum.over(count));
  return means;
}

}  // namespace spillway
