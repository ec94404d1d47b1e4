#include "calibrate/relative_fit.h"

#include <Eigen/Dense>
#include <cmath>

#include "base/error.h"
#include "base/student_t.h"

namespace spillway {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// A row that alone determines a coefficient has no residual, whatever the divisor.
constexpr double kMostLeverage = 1 - 1e-9;

Estimated with_interval(double value, double standard_error, std::size_t freedom) {
  const double half = student_t_quantile(0.975, static_cast<double>(freedom)) * standard_error;
  return {value, value - half, value + half};
}

}  // namespace

std::optional<std::vector<Estimated>> relative_fit(std::span<const double> terms, std::size_t columns,
                                                   std::span<const double> values) {
  ensure(terms.size() == values.size() * columns, "a row of terms for each value");
  if (values.size() <= columns) return std::nullopt;
  const auto rows = static_cast<Eigen::Index>(values.size()), width = static_cast<Eigen::Index>(columns);
  RowMajor x = Eigen::Map<const RowMajor>(terms.data(), rows, width);
  x.array().colwise() /= Eigen::Map<const Eigen::ArrayXd>(values.data(), rows);
  // Columns may be seconds and seconds per byte. Scaled to one length, they keep the equations well
  // conditioned.
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
    fitted.push_back(with_interval(c(i) / scale(i), deviation / scale(i), freedom));
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
  return with_interval(ratio, error, numerators.size() - 1);
}

}  // namespace spillway
