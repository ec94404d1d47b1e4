#include "maxplus/transfer_function.h"

#include <Eigen/Core>
#include <algorithm>
#include <functional>
#include <utility>

#include "base/error.h"

namespace spillway {
namespace {

Eigen::Map<const Eigen::ArrayXd> as_array(std::span<const double> row) {
  return {row.data(), static_cast<Eigen::Index>(row.size())};
}

bool ascends(std::span<const Port> ports) {
  return std::adjacent_find(ports.begin(), ports.end(), std::greater_equal<>{}) == ports.end();
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

}  // namespace spillway
