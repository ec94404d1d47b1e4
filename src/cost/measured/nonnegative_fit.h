// Least squares with coefficients of at least 0. Private to src/cost/measured.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace spillway {

// Minimises the sum of (row i of `terms` times c - values[i])^2 over all c >= 0. Columns may depend on each
// other; a solution is then one of several. `terms` is row-major and `columns` wide. Cost: a solution of the
// equations for each column that enters, O(rows columns^3) as a rule. Contract: as many rows as values.
std::vector<double> nonnegative_fit(std::span<const double> terms, std::size_t columns,
                                    std::span<const double> values);

}  // namespace spillway
