#include "cost/orthogonalization.h"

#include <algorithm>

#include "cost/stage_slabs.h"

namespace spillway {
namespace {

// The time of matrices that devices share out.
struct Dealt {
  Seconds all;
  Seconds largest;

  void add(Seconds each, double count) {
    all += each * count;
    largest = std::max(largest, each);
  }
  Seconds on_busiest(double sharers) const { return std::max(all / sharers, largest); }
};

Seconds time_of(const OperatorTimes& times, double rows, double columns, std::uint32_t steps) {
  const double m = std::min(rows, columns), n = std::max(rows, columns);
  const Seconds square = times.gemm({m, m, n}).time, fourth = times.gemm({m, m, m}).time,
                times_x = times.gemm({m, n, m}).time;
  return (square + fourth + times_x) * steps;
}

// The part of a matrix on one device.
Seconds time_of(const StageSlabs& stages, const Operator& op, double group) {
  const double rows = static_cast<double>(op.n) / (op.share == Share::Columns ? group : 1);
  const double columns = static_cast<double>(op.k) / (op.share == Share::Rows ? group : 1);
  return time_of(stages.times, rows, columns, stages.parallelism.states.newton_schulz_steps);
}

}  // namespace

Seconds orthogonalization(const StageSlabs& stages, StageId stage, std::uint32_t holders) {
  const Parallelism& parallelism = stages.parallelism;
  if (parallelism.states.newton_schulz_steps == 0) return {};
  const bool shared = parallelism.data != DataParallel::Plain;
  const std::uint32_t copies = holders * stages.grid.replicas;
  Seconds time;
  for (const StageSlabs::Part& part : stages.parts(stage)) {
    const StageSlabs::Block& block = stages.block(part);
    if (!block.gradients.weight) continue;
    const double group = tensor_group(block.stack->unit, parallelism);
    Dealt dense, experts;
    for (const Layer& layer : stages.layers(stages.slab(part))) {
      for (const Operator& op : layer.operators) {
        if (!is_trained_matrix(op)) continue;
        const bool expert = op.share == Share::Experts;
        (expert ? experts : dense)
            .add(time_of(stages, op, group),
                 expert ? op.groups / static_cast<double>(parallelism.expert) : 1);
      }
    }
    time += dense.on_busiest(shared ? dense_sharers(block.stack->unit, parallelism, copies) : 1) +
            experts.on_busiest(shared ? expert_sharers(parallelism, copies) : 1);
  }
  return time;
}

}  // namespace spillway
