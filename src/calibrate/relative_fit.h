// Fits the coefficients of a linear model to positive values in relative terms. It minimises the sum of
// (prediction / value - 1)^2, so that 2 us beside 20 us count as much as 2 ms beside 20 ms. Private to
// src/calibrate.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace spillway {

// An estimate with its 95 % interval. The interval says how well the data determine the number, not how well
// the model's form fits. The measurements held back from the fit show the latter.
struct Estimated {
  double value;
  double low;
  double high;
};

// Row i of `terms` (row-major, `columns` wide) times the coefficients predicts values[i]. Returns nothing if
// there are no more rows than columns, or if the columns depend on each other. Intervals allow for residuals
// of unequal variance and for few rows (MacKinnon and White 1985, Some heteroskedasticity-consistent
// covariance matrix estimators, HC3). Contract: as many rows as values, all values above 0.
std::optional<std::vector<Estimated>> relative_fit(std::span<const double> terms, std::size_t columns,
                                                   std::span<const double> values);

// Returns the sum of `numerators` over the sum of `denominators`; each pair is one observation. Returns
// nothing below two observations. Contract: equally many of both, denominators above 0.
std::optional<Estimated> ratio_of_sums(std::span<const double> numerators,
                                       std::span<const double> denominators);

}  // namespace spillway
