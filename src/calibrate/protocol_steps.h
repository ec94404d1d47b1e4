// Fits times that jump from one size to the next, as they do where a library changes its protocol (NCCL's LL,
// LL128, Simple) or its algorithm.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "calibrate/alpha_beta.h"

namespace spillway {

struct ProtocolStep {
  std::size_t before;  // index of the last size before it
  double jump;         // the time behind it over the one that the sizes before it would give, less 1
};

// Returns the jumps, in order. A line through four sizes on each side decides. Between them is a jump if the
// left line misses the first time on the right, and the right line the last time on the left, both in the
// same direction: at a bend they miss in opposite ones, or not at all. Both must miss by a tenth and by six
// times what the lines miss on their own sizes.
std::vector<ProtocolStep> protocol_steps(const SizedTimes& points);

// Keeps the `most` largest, in order.
std::vector<ProtocolStep> largest_steps(std::vector<ProtocolStep> steps, std::size_t most);

// The parts between the steps, in order. Without steps all points are one part.
std::vector<SizedTimes> parts_between(const SizedTimes& points, const std::vector<ProtocolStep>& steps);

// Fits a curve to each part (fit_curve), with `most_knots` in all. Between parts the curve is affine from the
// last size of one to the first of the next, since nobody measured where in between the step is. Returns
// nothing if one curve of all points is as good by Schwarz's criterion, or if there is one part. Contract: as
// fit_curve; no part is empty; at most half as many parts as knots.
std::optional<SizedTimes> fit_stepped_curve(const std::vector<SizedTimes>& parts, std::size_t most_knots);

}  // namespace spillway
