// The active-set method of Lawson and Hanson, Solving Least Squares Problems (1974), chapter 23. The free
// columns solve the equations without bounds; all others are 0.
//
//   enter   the column along which the squares fall fastest becomes free
//   leave   if a free coefficient would fall below 0, the step ends where the first one reaches 0, and that
//           column is free no longer
//
// For example, with columns (1, 1) and (1, 2) and values (2, 1), the line through both points has slope -1.
// The slope stays 0, and the intercept becomes 1.5. tests/cost/nonnegative_fit_test.cpp compares it with all
// choices of free columns.
#include "cost/measured/nonnegative_fit.h"

#include <Eigen/Dense>

#include "base/error.h"

namespace spillway {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Columns = std::vector<Eigen::Index>;

constexpr double kNoDescent = 1e-13;  // of unit columns, relative to the values
constexpr int kStepsPerColumn = 10;   // a bound against cycles of rounding

class NonnegativeFit {
 public:
  NonnegativeFit(Matrix terms, Eigen::VectorXd values)
      : terms_(std::move(terms)), values_(std::move(values)), at_(Eigen::VectorXd::Zero(terms_.cols())) {}

  Eigen::VectorXd solve() && {
    for (Eigen::Index step = 0; step < kStepsPerColumn * terms_.cols(); ++step) {
      const Eigen::Index next = steepest();
      if (next < 0) break;
      free_.push_back(next);
      if (!settle()) break;
    }
    return at_;
  }

 private:
  // Returns -1 if no column that is not free descends.
  Eigen::Index steepest() const {
    const Eigen::VectorXd descent = terms_.transpose() * (values_ - terms_ * at_);
    Eigen::Index best = -1;
    for (Eigen::Index column = 0; column < terms_.cols(); ++column)
      if (std::ranges::find(free_, column) == free_.end() &&
          descent(column) > (best < 0 ? kNoDescent * values_.norm() : descent(best)))
        best = column;
    return best;
  }

  // Moves to the solution of the free columns, and lets columns go that reach 0 on the way. Returns false if
  // the column that entered last cannot grow.
  bool settle() {
    const Eigen::Index entered = free_.back();
    while (!free_.empty()) {
      const Eigen::VectorXd wanted = unbounded();
      const double share = allowed(wanted);
      at_ += share * (wanted - at_);
      if (share >= 1) return true;
      std::erase_if(free_, [&](Eigen::Index column) {
        if (wanted(column) > 0 || at_(column) > kNoDescent) return false;
        at_(column) = 0;
        return true;
      });
      if (std::ranges::find(free_, entered) == free_.end()) return false;
    }
    return false;
  }

  Eigen::VectorXd unbounded() const {
    Eigen::MatrixXd some(terms_.rows(), static_cast<Eigen::Index>(free_.size()));
    for (std::size_t i = 0; i < free_.size(); ++i)
      some.col(static_cast<Eigen::Index>(i)) = terms_.col(free_[i]);
    const Eigen::VectorXd solved = some.colPivHouseholderQr().solve(values_);
    Eigen::VectorXd all = Eigen::VectorXd::Zero(terms_.cols());
    for (std::size_t i = 0; i < free_.size(); ++i) all(free_[i]) = solved(static_cast<Eigen::Index>(i));
    return all;
  }

  // The share of the way to `wanted` before a free coefficient is below 0.
  double allowed(const Eigen::VectorXd& wanted) const {
    double share = 1;
    for (const Eigen::Index column : free_)
      if (wanted(column) <= 0) share = std::min(share, at_(column) / (at_(column) - wanted(column)));
    return share;
  }

  Matrix terms_;
  Eigen::VectorXd values_;
  Eigen::VectorXd at_;
  Columns free_;
};

}  // namespace

std::vector<double> nonnegative_fit(std::span<const double> terms, std::size_t columns,
                                    std::span<const double> values) {
  ensure(terms.size() == values.size() * columns, "a row of terms for each value");
  if (columns == 0) return {};
  const auto rows = static_cast<Eigen::Index>(values.size()), width = static_cast<Eigen::Index>(columns);
  Matrix scaled = Eigen::Map<const Matrix>(terms.data(), rows, width);
  Eigen::VectorXd scale = scaled.colwise().norm().transpose();
  for (double& length : scale)
    if (!(length > 0)) length = 1;
  scaled.array().rowwise() /= scale.transpose().array();
  const Eigen::VectorXd c =
      NonnegativeFit(scaled, Eigen::Map<const Eigen::VectorXd>(values.data(), rows)).solve().array() /
      scale.array();
  return {c.begin(), c.end()};
}

}  // namespace spillway
