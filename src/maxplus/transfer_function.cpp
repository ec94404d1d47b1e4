// Composition is feedback. Stack the outputs y of both parts, and let u be what neither of them provides:
//
//          +-----+                       y = M y  max  N u,   M: the columns of joined inputs
//   u ---->|  a  |----+----> y                                N: the start and all other columns
//       +->|     |    |
//       |  +-----+    |                  least solution y = M* N u,  M* = I max M max M^2 max ...
//       +--------<----+
//       |  +-----+    |                  Ports are numbered topologically, so M is strictly lower triangular,
//       +->|  b  |----+----> y           M* ends after as many terms as there are outputs, and M* N is found
//   u ---->|     |                       row by row, by substitution.
//          +-----+
//
// The products are written out as additions and maxima of whole rows: Eigen's own product may not be used
// with another scalar, since its kernels assume that zero annihilates.
#include "maxplus/transfer_function.h"

#include <Eigen/Core>
#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "base/error.h"

namespace spillway {
namespace {

using Row = Eigen::Map<Eigen::ArrayXd>;
using ConstRow = Eigen::Map<const Eigen::ArrayXd>;

Row as_array(std::span<double> row) {
  return {row.data(), static_cast<Eigen::Index>(row.size())};
}

ConstRow as_array(std::span<const double> row) {
  return {row.data(), static_cast<Eigen::Index>(row.size())};
}

bool ascends(std::span<const Port> ports) {
  return std::adjacent_find(ports.begin(), ports.end(), std::greater_equal<>{}) == ports.end();
}

std::vector<Port> united(std::span<const Port> a, std::span<const Port> b) {
  std::vector<Port> both;
  both.reserve(a.size() + b.size());
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

std::vector<Port> without(std::span<const Port> ports, std::span<const Port> taken) {
  std::vector<Port> left;
  std::set_difference(ports.begin(), ports.end(), taken.begin(), taken.end(), std::back_inserter(left));
  return left;
}

std::size_t position(std::span<const Port> ports, Port port) {
  return static_cast<std::size_t>(std::lower_bound(ports.begin(), ports.end(), port) - ports.begin());
}

bool contains(std::span<const Port> ports, Port port) {
  return std::binary_search(ports.begin(), ports.end(), port);
}

// Row of `output` of `part`, in the columns of `joined`: what arrives from outside as it is, what arrives
// from an output of `joined` through that output's row, which is known because it comes earlier.
void substitute(const TransferFunction& part, std::size_t output, TransferFunction& joined) {
  const std::size_t own = position(joined.outputs(), part.outputs()[output]);
  const auto target = joined.row(own);
  target[0] = part.from_start(output).value();
  for (std::size_t i = 0; i < part.inputs().size(); ++i) {
    const double delay = part.delay(output, i).value();
    if (delay == kNoPath.value()) continue;
    const Port input = part.inputs()[i];
    if (!contains(joined.outputs(), input)) {
      double& direct = target[1 + position(joined.inputs(), input)];
      direct = std::max(direct, delay);
      continue;
    }
    const std::size_t earlier = position(joined.outputs(), input);
    ensure(earlier < own, "joined outputs wait for earlier ones only");
    const std::span<const double> known = joined.row(earlier);
    as_array(target) = as_array(target).max(as_array(known) + delay);
  }
}

}  // namespace

TransferFunction::TransferFunction(std::vector<Port> inputs, std::vector<Port> outputs)
    : inputs_(std::move(inputs)), outputs_(std::move(outputs)) {
  ensure(ascends(inputs_) && ascends(outputs_), "ports ascend");
  paths_.assign(outputs_.size() * width(), kNoPath.value());
}

std::vector<Seconds> completions(const TransferFunction& part, std::span<const Seconds> arrivals) {
  ensure(arrivals.size() == part.inputs().size(), "one arrival for each input");
  Eigen::ArrayXd times(static_cast<Eigen::Index>(arrivals.size()) + 1);
  times[0] = 0;
  for (std::size_t i = 0; i < arrivals.size(); ++i)
    times[static_cast<Eigen::Index>(i) + 1] = arrivals[i].value();
  std::vector<Seconds> ends;
  ends.reserve(part.outputs().size());
  for (std::size_t o = 0; o < part.outputs().size(); ++o)
    ends.emplace_back((as_array(part.row(o)) + times).maxCoeff());
  return ends;
}

TransferFunction compose(const TransferFunction& a, const TransferFunction& b) {
  std::vector<Port> outputs = united(a.outputs(), b.outputs());
  ensure(outputs.size() == a.outputs().size() + b.outputs().size(), "an output belongs to one part");
  std::vector<Port> inputs = without(united(a.inputs(), b.inputs()), outputs);
  TransferFunction joined(std::move(inputs), std::move(outputs));
  std::size_t next_a = 0, next_b = 0;
  for (const Port output : joined.outputs()) {
    if (contains(a.outputs(), output))
      substitute(a, next_a++, joined);
    else
      substitute(b, next_b++, joined);
  }
  return joined;
}

TransferFunction restrict_to(const TransferFunction& part, std::span<const Port> outputs) {
  TransferFunction kept({part.inputs().begin(), part.inputs().end()}, {outputs.begin(), outputs.end()});
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    ensure(contains(part.outputs(), outputs[o]), "only outputs can be kept");
    std::ranges::copy(part.row(position(part.outputs(), outputs[o])), kept.row(o).begin());
  }
  return kept;
}

}  // namespace spillway
