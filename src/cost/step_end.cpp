#include "cost/step_end.h"

#include <algorithm>

#include "cost/layers/conventions.h"
#include "cost/network/collectives.h"
#include "cost/orthogonalization.h"
#include "cost/reduction.h"

namespace spillway {
namespace {

// A sum of one number, which the host reads before it goes on.
constexpr Bytes kOneNumber(4);

// The work of a rank's devices, over the rank's stages.
struct RankWork {
  ModelState states;
  double tensors = 0;
  Seconds made_orthogonal;
  Seconds reduced, returned;
  Seconds exposed;  // of the reductions: after the rank's last backward
};

std::vector<RankWork> work_by_rank(const AnalyticCosts& costs, const Outline& outline,
                                   const StageSlabs& stages, const std::vector<ModelState>& states,
                                   const std::vector<Transfer>& reductions) {
  std::vector<RankWork> ranks(outline.pipeline.ranks);
  GradientReductions wholes(costs, stages.grid);
  for (std::uint32_t i = 0; i < outline.stages.size(); ++i) {
    const Stage& stage = outline.stages[i];
    if (!outline.trains(stage)) continue;
    RankWork& rank = ranks[stage.rank.index()];
    // The rank's first stage ends its backwards last. Other stages reduce beside its backwards.
    if (rank.reduced == Seconds()) rank.exposed = reductions[i].alone;
    const Holders holders = holders_of(outline, stage);
    const GradientReduction whole = wholes.of(holders, trained_parameters(stages, StageId(i)));
    rank.states += states[i];
    rank.tensors += updated_tensors(stages, StageId(i), holders.ranks);
    rank.made_orthogonal += orthogonalization(stages, StageId(i), holders.ranks);
    rank.reduced += whole.gradients.alone;
    rank.returned += whole.parameters.alone;
  }
  return ranks;
}

// The time by which parameters come too late for the next step's forwards, at most. A rank's devices gather
// stage by stage. A stage's first forward waits for its own parameters, and for the forwards of all stages
// before it; those and the forward itself hide as much as the framework says:
//
//   gathers   |1111|2222|             of a rank with stages 1 and 2
//   forwards     late|1.|other|2.|    stage 1 begins when enough has come
Seconds late(const AnalyticCosts& costs, const Outline& outline, const StageSlabs& stages,
             const std::vector<Cover>& covers) {
  const double hidden = covers.empty() ? 0 : costs.framework.hidden_parameters.value;
  std::vector<Seconds> gathered(outline.pipeline.ranks);
  GradientReductions wholes(costs, stages.grid);
  Seconds before, most;
  for (std::uint32_t i = 0; i < outline.stages.size(); ++i) {
    const Stage& stage = outline.stages[i];
    const auto copy = outline.copy_of(stage);
    if (!covers.empty() && (!copy || stage.rank < *copy)) before += covers[i].forward;
    if (!outline.trains(stage)) continue;
    Seconds& rank = gathered[stage.rank.index()];
    rank += wholes.of(holders_of(outline, stage), trained_parameters(stages, StageId(i))).parameters.alone;
    most = std::max(most, rank - before * hidden);
  }
  return most;
}

Seconds launch_of(const AnalyticCosts& costs) {
  const auto& launch = costs.framework.launch;
  const Accelerator& accelerator = costs.platform.accelerator;
  return launch ? on_host(launch->value, accelerator) : accelerator.host_overhead.value;
}

Seconds sum_over(const AnalyticCosts& costs, const DeviceGroup& group) {
  const Seconds sum =
      group.device_count() < 2
          ? Seconds()
          : collective_time(costs.platform, CollectiveOperation::AllReduce, group)(kOneNumber).time;
  return sum + launch_of(costs);
}

// The copies of the last stage's logits: replicas and context ranks.
DeviceGroup losers(const Outline& outline, const StageSlabs& stages) {
  const Stage& last = outline.stages.back();
  const std::uint32_t tensor = stages.parallelism.tensor;
  return {stages.grid.device(last.rank, ReplicaId(0), 0), stages.grid.replicas * stages.grid.members / tensor,
          tensor};
}

StepEnd end_of(const AnalyticCosts& costs, const OperatorTimes& times, const RankWork& work) {
  const Framework& framework = costs.framework;
  const Bytes held = work.states.gradients;
  const UpdatedShare share = updated_share(costs, work.states);
  const auto moved = [&](Bytes traffic) {
    return traffic == Bytes() ? Seconds() : times.memory(traffic).time;
  };
  StepEnd end;
  const double averages = framework.gradient_averages ? framework.gradient_averages->value : 1;
  end.averaged = moved(averages * 2 * held);
  end.checked = moved(framework.gradient_checks.value * held);
  end.norm = moved(kGradient * share.all);
  end.clipped = moved(framework.clipped_steps.value * 2 * kGradient * share.all);
  end.updated = with_states_of_host(
      costs, work.states,
      moved((kGradient + 2 * costs.parallelism.states.each()) * share.here - share.saved));
  end.made_orthogonal = work.made_orthogonal;
  end.copied = moved(share.to_fp32 + (kGradient + kElement) * share.here);
  end.tensors = on_host(framework.update.value, costs.platform.accelerator) * work.tensors;
  end.zeroed = moved(held);
  end.reduced = work.reduced;
  end.hidden_reduced = work.reduced - std::min(work.exposed, work.reduced);
  end.returned = work.returned;
  return end;
}

Seconds optimizer_part(const StepEnd& end) {
  Seconds sum;
  for (const auto part : kOptimizerParts) sum += end.*part;
  return sum;
}

// By rank: the factor of its optimizer. 1 if it updates nothing.
std::vector<double> factors_of_ranks(const Outline& outline, const std::vector<Seconds>& optimizers,
                                     const std::vector<double>& factors) {
  std::vector<Seconds> all(outline.pipeline.ranks), scaled(outline.pipeline.ranks);
  for (std::size_t i = 0; i < optimizers.size(); ++i) {
    const std::size_t rank = outline.stages[i].rank.index();
    all[rank] += optimizers[i];
    scaled[rank] += optimizers[i] * factors[i];
  }
  std::vector<double> of_ranks;
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    of_ranks.push_back(all[rank] > Seconds() ? scaled[rank] / all[rank] : 1);
  return of_ranks;
}

}  // namespace

std::vector<Seconds> optimizer_times(const AnalyticCosts& costs, const Outline& outline,
                                     const StageSlabs& stages, const std::vector<ModelState>& states) {
  std::vector<Seconds> times(outline.stages.size());
  for (std::uint32_t i = 0; i < times.size(); ++i) {
    const Stage& stage = outline.stages[i];
    if (!outline.trains(stage)) continue;
    const std::uint32_t holders = holders_of(outline, stage).ranks;
    if (costs.framework.reductions) {
      const RankWork alone{states[i],
                           updated_tensors(stages, StageId(i), holders),
                           orthogonalization(stages, StageId(i), holders),
                           {},
                           {},
                           {}};
      times[i] = optimizer_part(end_of(costs, stages.times, alone));
    } else {
      times[i] = update_of_stage(costs, stages, StageId(i), holders, states[i]);
    }
  }
  return times;
}

Seconds StepEnd::total() const {
  Seconds all;
  for (const StepEndPart& part : kStepEndParts) all += this->*part.time;
  return all;
}

StepEnd step_end(const AnalyticCosts& costs, const Outline& outline, const StageSlabs& stages,
                 const std::vector<ModelState>& states, const std::vector<Transfer>& reductions,
                 const std::vector<Cover>& covers, const std::vector<double>& factors) {
  const Framework& framework = costs.framework;
  const std::vector<double> of_ranks =
      factors.empty() ? std::vector<double>(outline.pipeline.ranks, 1)
                      : factors_of_ranks(outline, optimizer_times(costs, outline, stages, states), factors);
  const std::vector<RankWork> ranks = work_by_rank(costs, outline, stages, states, reductions);
  StepEnd slowest;
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    StepEnd end = end_of(costs, stages.times, ranks[rank]);
    end.rank = RankId(rank);
    for (const auto part : kOptimizerParts) end.*part = end.*part * of_ranks[rank];
    if (rank == 0 || end.total() > slowest.total()) slowest = end;
  }
  const Seconds exposed = std::min(slowest.returned, late(costs, outline, stages, covers));
  slowest.hidden_return = slowest.returned - exposed;
  slowest.returned = exposed;
  slowest.slowed = costs.platform.accelerator.slowdown_under_communication.value *
                   (slowest.hidden_reduced + slowest.hidden_return);
  const DeviceGroup all{stages.grid.device(RankId(0), ReplicaId(0), 0), stages.grid.device_count()};
  slowest.met = framework.norm_waits.value * sum_over(costs, all);
  slowest.loss = framework.loss_waits.value * sum_over(costs, losers(outline, stages));
  slowest.between = on_host(framework.between_steps.value, costs.platform.accelerator);
  return slowest;
}

}  // namespace spillway
