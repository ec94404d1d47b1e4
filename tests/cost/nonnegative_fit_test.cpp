// The active set against all choices of free columns, and by hand.
#include "cost/measured/nonnegative_fit.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "support/property.h"

namespace spillway {
namespace {

double squares(const std::vector<double>& terms, const std::vector<double>& at,
               const std::vector<double>& values) {
  double sum = 0;
  for (std::size_t row = 0; row < values.size(); ++row) {
    double here = -values[row];
    for (std::size_t column = 0; column < at.size(); ++column)
      here += terms[row * at.size() + column] * at[column];
    sum += here * here;
  }
  return sum;
}

// Every choice of free columns is solved without bounds; the best one without a negative coefficient counts.
double least_squares_of_all_choices(const std::vector<double>& terms, std::size_t columns,
                                    const std::vector<double>& values) {
  double best = squares(terms, std::vector<double>(columns, 0.0), values);
  const auto rows = static_cast<Eigen::Index>(values.size());
  for (unsigned choice = 1; choice < 1U << columns; ++choice) {
    std::vector<std::size_t> free;
    for (std::size_t column = 0; column < columns; ++column)
      if ((choice >> column & 1U) != 0) free.push_back(column);
    Eigen::MatrixXd some(rows, static_cast<Eigen::Index>(free.size()));
    for (Eigen::Index row = 0; row < rows; ++row)
      for (std::size_t i = 0; i < free.size(); ++i)
        some(row, static_cast<Eigen::Index>(i)) = terms[static_cast<std::size_t>(row) * columns + free[i]];
    const Eigen::VectorXd solved =
        some.completeOrthogonalDecomposition().solve(Eigen::Map<const Eigen::VectorXd>(values.data(), rows));
    if (solved.minCoeff() < 0) continue;
    std::vector<double> at(columns, 0.0);
    for (std::size_t i = 0; i < free.size(); ++i) at[free[i]] = solved(static_cast<Eigen::Index>(i));
    best = std::min(best, squares(terms, at, values));
  }
  return best;
}

TEST(NonnegativeFit, KeepsAFallingSlopeAtZero) {
  const std::vector<double> terms = {1, 1, 1, 2}, values = {2, 1};
  const std::vector<double> fit = nonnegative_fit(terms, 2, values);
  EXPECT_NEAR(fit[0], 1.5, 1e-12);
  EXPECT_EQ(fit[1], 0);
}

TEST(NonnegativeFit, HasNothingToFitWithoutColumns) {
  EXPECT_TRUE(nonnegative_fit({}, 0, std::vector<double>{1, 2}).empty());
}

TEST(NonnegativeFit, LeavesAColumnOfZerosOut) {
  const std::vector<double> terms = {0, 2, 0, 2}, values = {4, 4};
  const std::vector<double> fit = nonnegative_fit(terms, 2, values);
  EXPECT_EQ(fit[0], 0);
  EXPECT_NEAR(fit[1], 2, 1e-12);
}

RC_GTEST_PROP(NonnegativeFitProperties, IsAsGoodAsTheBestChoiceOfColumns, ()) {
  const auto columns = *rc::gen::inRange<std::size_t>(1, 6);
  const auto rows = *rc::gen::inRange<std::size_t>(1, 9);
  const auto number = rc::gen::map(rc::gen::inRange(-100, 101), [](int n) { return n / 10.0; });
  const auto terms = *rc::gen::container<std::vector<double>>(rows * columns, number);
  const auto values = *rc::gen::container<std::vector<double>>(rows, number);
  const std::vector<double> fit = nonnegative_fit(terms, columns, values);
  for (const double coefficient : fit) RC_ASSERT(coefficient >= 0);
  const double best = least_squares_of_all_choices(terms, columns, values);
  RC_ASSERT(squares(terms, fit, values) <= best + 1e-8 * (1 + best));
}

}  // namespace
}  // namespace spillway
