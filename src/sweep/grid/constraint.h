// What holds at a point of a sweep: { "left": X, "is": "<=", "right": Y }, where X and Y are numbers, truth
// values, texts, pointers into the experiment as the point has it, or products of numbers. Private to
// src/sweep/grid.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "json/place.h"
#include "sweep/grid/axes.h"

namespace spillway {

using Operand = std::variant<double, bool, std::string>;

// A value that is written, or stands in the experiment; one for each value of an axis where it changes it.
struct ConstraintTerm {
  std::optional<std::size_t> axis;
  std::vector<Operand> values;  // by index on the axis; a single one without

  const Operand& at(const SweepGrid& grid, std::size_t cell) const {
    return values[axis ? grid.index(*axis, cell) : 0];
  }
};

enum class Relation { Less, AtMost, Greater, AtLeast, Equal, Different, Divides, MultipleOf };

struct SweepConstraint {
  std::vector<ConstraintTerm> left;  // multiplied where there are several
  Relation is;
  std::vector<ConstraintTerm> right;

  bool holds(const SweepGrid& grid, std::size_t cell) const;
};

// `base` is the experiment before any axis.
std::optional<std::vector<SweepConstraint>> read_constraints(const Place& place, const SweepGrid& grid,
                                                             const Node& base);

}  // namespace spillway
