// Coefficients of a linear model, fitted to positive values in relative terms: those that minimise the sum of
// (prediction / value - 1)^2, so that 2 us matter as much beside 20 us as 2 ms beside 20 ms. Private to
// src/calibrate.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace spillway {

// An estimate with its 95 % interval, which says how well the data determine the number, not how well the
// model's form suits them: what was held back from the fit says that.
struct Estimated {
  double value;
  double low;
  double high;
};

// Row i of `terms` (row-major, `columns` wide) times the coefficients is to be values[i]. None where there
// are no more rows than columns, or the columns depend on each other. Intervals allow for residuals of
// unequal variance and for few rows (MacKinnon and White 1985, Some heteroskedasticity-consistent covariance
// matrix estimators, HC3). Contract: as many rows as values, all values above 0.
std::optional<std::vector<Estimated>> relative_fit(std::span<const double> terms, std::size_t columns,
                                                   std::span<const double> values);

// The sum of `numerators` over the sum of `denominators`, each pair being one observation. None below two
// observations. Contract: as many of either, denominators above 0.
std::optional<Estimated> ratio_of_sums(std::span<const double> numerators,
                                       std::span<const double> denominators);

}  // namespace spillway
