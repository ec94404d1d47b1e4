// The time of a message by its size: a line, alpha + n / beta, and a curve of several lines. Both minimise
// the sum of squared relative errors, so that small messages count as much as large ones.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/quantity.h"

namespace spillway {

// Ascending in bytes, no size twice; times above 0.
using SizedTimes = std::vector<std::pair<Bytes, Seconds>>;

// With its 95 % interval (calibrate/relative_fit.h). `unknown` is empty where the data
// determine the value, else it says why they do not.
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

// Minimises sum ((alpha + n_i / beta) / t_i - 1)^2, linear in alpha and 1 / beta. A term is unknown where
// there are fewer than three sizes, where its interval reaches 0, or where it is nowhere a twentieth of the
// time: then all sizes are bound by the other, which is fitted alone.
AlphaBeta fit_alpha_beta(const SizedTimes& points);

// The knots of a curve, affine between them: at sizes of `points`, with fitted times. The first and last size
// are knots; others are added one after the other, each time the one that leaves the least error, up to half
// as many as there are points, and those are kept that make Schwarz's criterion least (1978,
// https://doi.org/10.1214/aos/1176344136), a knot counting as two parameters, its size and its time. So a
// change of protocol makes a knot, noise does not, and no points have to be held back to decide it; the
// corrected Akaike criterion allows three knots in eleven sizes, which costs twice the error on those held
// back, and takes more of the noise in five hundred. Where the line of least error would fall to 0 or below,
// a knot has the measured time. Contract: a point at least, two knots or more.
SizedTimes fit_curve(const SizedTimes& points, std::size_t most_knots);

}  // namespace spillway
