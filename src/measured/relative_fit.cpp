#include "measured/relative_fit.h"

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "base/error.h"

namespace spillway {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kNormalQuantile = 1.959963984540054;  // 97.5 % of the standard normal distribution
// A row alone in determining a coefficient leaves no residual, whatever it is divided by.
constexpr double kMostLeverage = 1 - 1e-9;

Estimated around(double value, double standard_error, std::size_t freedom) {
  const double half = student_quantile(freedom) * standard_error;
  return {value, value - half, value + half};
}

}  // namespace

// Exact for 1 and 2 degrees of freedom, then the expansion about the normal quantile (Abramowitz and Stegun,
// 26.7.5), which is off by 0.1 % at 3 and by less beyond.
double student_quantile(std::size_t freedom) {
  ensure(freedom >= 1, "a quantile of at least one degree of freedom");
  constexpr double p = 0.975;
  if (freedom == 1) return std::tan(std::numbers::pi * (p - 0.5));
  if (freedom == 2) return (2 * p - 1) / std::sqrt(2 * p * (1 - p));
  const double z = kNormalQuantile, s = z * z, v = static_cast<double>(freedom);
  const double first = z * (s + 1) / 4;
  const double second = z * ((5 * s + 16) * s + 3) / 96;
  const double third = z * (((3 * s + 19) * s + 17) * s - 15) / 384;
  const double fourth = z * ((((79 * s + 776) * s + 1482) * s - 1920) * s - 945) / 92160;
  return z + (first + (second + (third + fourth / v) / v) / v) / v;
}

std::optional<std::vector<Estimated>> relative_fit(std::span<const double> terms, std::size_t columns,
                                                   std::span<const double> values) {
  ensure(terms.size() == values.size() * columns, "a row of terms for each value");
  if (values.size() <= columns) return std::nullopt;
  const auto rows = static_cast<Eigen::Index>(values.size()), width = static_cast<Eigen::Index>(columns);
  RowMajor x = Eigen::Map<const RowMajor>(terms.data(), rows, width);
  x.array().colwise() /= Eigen::Map<const Eigen::ArrayXd>(values.data(), rows);
  // Seconds per byte beside seconds: columns of one length keep the equations well conditioned.
  const Eigen::VectorXd scale = x.colwise().norm().transpose();
  if (!(scale.minCoeff() > 0)) return std::nullopt;
  x.array().rowwise() /= scale.transpose().array();
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> solver(x);
  if (solver.rank() < width) return std::nullopt;
  const Eigen::VectorXd c = solver.solve(Eigen::VectorXd::Ones(rows));

  const Eigen::MatrixXd bread = (x.transpose() * x).inverse();
  const Eigen::ArrayXd leverage = (x * bread).cwiseProduct(x).rowwise().sum().array().min(kMostLeverage);
  const Eigen::ArrayXd residual = ((x * c).array() - 1) / (1 - leverage);
  const Eigen::MatrixXd meat = x.transpose() * residual.square().matrix().asDiagonal() * x;
  const Eigen::MatrixXd covariance = bread * meat * bread;
  const std::size_t freedom = values.size() - columns;
  std::vector<Estimated> fitted;
  for (Eigen::Index i = 0; i < width; ++i) {
    const double deviation = std::sqrt(std::max(0.0, covariance(i, i)));
    fitted.push_back(around(c(i) / scale(i), deviation / scale(i), freedom));
  }
  return fitted;
}

std::optional<Estimated> ratio_of_sums(std::span<const double> numerators,
                                       std::span<const double> denominators) {
  ensure(numerators.size() == denominators.size(), "a denominator for each numerator");
  if (numerators.size() < 2) return std::nullopt;
  const auto count = static_cast<Eigen::Index>(numerators.size());
  const Eigen::Map<const Eigen::ArrayXd> a(numerators.data(), count), b(denominators.data(), count);
  const double ratio = a.sum() / b.sum();
  const auto n = static_cast<double>(count);
  const double error = std::sqrt((a - ratio * b).square().sum() * n / (n - 1)) / b.sum();
  return around(ratio, error, numerators.size() - 1);
}

}  // namespace spillway
