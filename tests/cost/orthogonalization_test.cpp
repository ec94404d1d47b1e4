// Muon's Newton-Schulz steps, by hand and against the whole job.
#include "cost/orthogonalization.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cost/stage_slabs.h"
#include "small_job.h"

namespace spillway {
namespace {

// The matrices of a stage as they lie on one device, listed one by one.
struct Matrix {
  double rows, columns;
};

std::vector<Matrix> matrices_of(const StageSlabs& stages, StageId stage) {
  const Parallelism& parallelism = stages.parallelism;
  std::vector<Matrix> matrices;
  for (const StageSlabs::Part& part : stages.parts(stage)) {
    const double group =
        stages.block(part).over_patches() ? parallelism.encoder_tensor() : parallelism.tensor;
    for (const Layer& layer : stages.layers(stages.slab(part)))
      for (const Operator& op : layer.operators) {
        const bool trained = op.parameters > 0 && op.k > 0 && op.n > 0 && !op.at_end && !op.frozen;
        if (!trained || op.name == "patch embedding") continue;
        const double rows = static_cast<double>(op.n) / (op.share == Share::Columns ? group : 1),
                     columns = static_cast<double>(op.k) / (op.share == Share::Rows ? group : 1);
        const std::uint32_t count = op.share == Share::Experts ? op.groups / parallelism.expert : 1;
        matrices.insert(matrices.end(), count, {rows, columns});
      }
  }
  return matrices;
}

// FLOPs of X X^T, its square, and their sum times X: 4 m^2 n + 2 m^3.
double newton_schulz_flops(const Matrix& matrix) {
  const double m = std::min(matrix.rows, matrix.columns), n = std::max(matrix.rows, matrix.columns);
  return 4 * m * m * n + 2 * m * m * m;
}

SmallJob muon_job(std::uint32_t steps, DataParallel data, std::uint32_t tensor = 1) {
  SmallJob job;
  job.pipeline = {2, 2, 2};
  job.costs.parallelism = sizes(tensor, 1, data);
  job.costs.parallelism.states.newton_schulz_steps = steps;
  return job;
}

StageSlabs slabs_of(const SmallJob& job) {
  return StageSlabs(job.costs, job.derive_as("1f1b", {}));
}

// At 1e6 FLOP/s with free memory traffic a product takes its FLOPs.
TEST(Orthogonalization, TakesTheProductsOfEveryMatrix) {
  for (const std::uint32_t tensor : {1, 2}) {
    const SmallJob job = muon_job(5, DataParallel::Plain, tensor);
    const StageSlabs stages = slabs_of(job);
    for (std::uint32_t stage = 0; stage < stages.stage_count(); ++stage) {
      double flops = 0;
      for (const Matrix& matrix : matrices_of(stages, StageId(stage))) flops += newton_schulz_flops(matrix);
      ASSERT_GT(flops, 0);
      EXPECT_NEAR(orthogonalization(stages, StageId(stage), 1).value(), 5 * flops / 1e6, 1e-9 * flops);
    }
  }
}

TEST(Orthogonalization, IsNoWorkOfAdam) {
  const StageSlabs stages = slabs_of(muon_job(0, DataParallel::Zero1));
  EXPECT_EQ(orthogonalization(stages, StageId(0), 1), Seconds());
}

// Two copies share out the matrices: each of both kinds by its mean, or by its largest.
TEST(Orthogonalization, IsSharedOutByWholeMatrices) {
  const StageSlabs whole = slabs_of(muon_job(5, DataParallel::Plain)),
                   shared = slabs_of(muon_job(5, DataParallel::Zero1));
  for (std::uint32_t stage = 0; stage < whole.stage_count(); ++stage) {
    const Seconds all = orthogonalization(whole, StageId(stage), 1),
                  part = orthogonalization(shared, StageId(stage), 1);
    EXPECT_GE(part, all / 2);
    EXPECT_LT(part, all);
    double largest = 0;
    for (const Matrix& matrix : matrices_of(shared, StageId(stage)))
      largest = std::max(largest, newton_schulz_flops(matrix));
    EXPECT_GE(orthogonalization(shared, StageId(stage), 1'000'000).value(), 5 * largest / 1e6 * (1 - 1e-9));
  }
}

TEST(Orthogonalization, IsPartOfTheEndOfAStep) {
  SmallJob adam = muon_job(0, DataParallel::Zero1), muon = muon_job(5, DataParallel::Zero1);
  for (SmallJob* job : {&adam, &muon})
    job->costs.framework.reductions =
        Sourced<ReductionStart>{ReductionStart::AfterBackward, Evidence::Assumed, "chosen for a test"};
  const auto end_of = [](const SmallJob& job) {
    const Derived derived = job.derive_as("1f1b", {});
    return *job.priced(derived).step_end();
  };
  const StepEnd before = end_of(adam), after = end_of(muon);
  EXPECT_EQ(before.made_orthogonal, Seconds());
  EXPECT_GT(after.made_orthogonal, Seconds());
  EXPECT_NEAR((after.total() - before.total()).value(), after.made_orthogonal.value(),
              1e-9 * after.made_orthogonal.value());
}

}  // namespace
}  // namespace spillway
