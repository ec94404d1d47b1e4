// Fits the time of a message by its size, as a line alpha + n / beta and as a curve of several lines. Both
// minimise the sum of squared relative errors, so that small messages count as much as large ones.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/quantity.h"

namespace spillway {

// Ascending in bytes, without repeated sizes. Times are above 0.
using SizedTimes = std::vector<std::pair<Bytes, Seconds>>;

// A value with its 95 % interval (calibrate/relative_fit.h). `unknown` is empty if the data determine the
// value. Otherwise it says why they do not.
struct FittedTerm {
  double value = 0;
  double low = 0;
  double high = 0;
  std::string unknown = {};
};

struct AlphaBeta {
  FittedTerm latency;   // s, at least 0
  FittedTerm per_byte;  // s per byte: 1 / bandwidth, at least 0

  Seconds operator()(Bytes n) const { return Seconds(latency.value + per_byte.value * n.value()); }
};

// Minimises sum ((alpha + n_i / beta) / t_i - 1)^2, which is linear in alpha and 1 / beta. A term is unknown
// if there are fewer than three sizes, if its interval reaches 0, or if it is below a twentieth of the time
// everywhere. In the last case the other term bounds all sizes and is fitted alone.
AlphaBeta fit_alpha_beta(const SizedTimes& points);

// Returns the knots of a curve, which is affine between them. Knots lie at sizes of `points` and have fitted
// times. The first and last size are knots. Others are added one at a time, each time the one that leaves the
// least error, up to half as many as there are points. Those that minimise Schwarz's criterion are kept
// (1978, https://doi.org/10.1214/aos/1176344136). A knot counts as two parameters, its size and its time. A
// change of protocol therefore makes a knot and noise does not, and no points must be held back to decide.
// The corrected Akaike criterion would allow three knots in eleven sizes, with twice the error on those held
// back, and would fit more of the noise in five hundred. If the line of least error falls to 0 or below, a
// knot has the measured time. Contract: at least one point, two knots or more.
SizedTimes fit_curve(const SizedTimes& points, std::size_t most_knots);

}  // namespace spillway
