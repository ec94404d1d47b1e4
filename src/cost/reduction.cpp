#include "cost/reduction.h"

#include <algorithm>

#include "cost/layers/conventions.h"
#include "cost/network/collectives.h"
#include "cost/orthogonalization.h"
#include "cost/slabs/slab_footprint.h"

namespace spillway {
namespace {

using enum CollectiveOperation;

Transfer operator+(const Transfer& a, const Transfer& b) {
  return {a.alone + b.alone, a.payload + b.payload};
}

GradientReduction operator+(const GradientReduction& a, const GradientReduction& b) {
  return {a.gradients + b.gradients, a.parameters + b.parameters};
}

// The bytes that a device's port to the outer tier carries, and their time.
Transfer among(TimedCollectives& timed, CollectiveOperation operation, const DeviceGroup& copies, Bytes n) {
  const CollectiveTime& time = timed.of(operation, copies);
  return {time(n).time, time.through_port(n)};
}

// Updated parameters: each sharer has its part of `weights`, and all get the whole.
Transfer returned(const AnalyticCosts& costs, TimedCollectives& timed, const DeviceGroup& sharers,
                  Bytes weights) {
  const auto& choice = costs.framework.parameters;
  if (!choice || choice->value == ParameterReturn::Gather) return among(timed, AllGather, sharers, weights);
  const double sharing = sharers.device_count();
  const Transfer one = among(timed, AllGather, sharers, weights / (sharing - 1));
  return {one.alone * sharing, one.payload * sharing};
}

// Gradients of ZeRO-2 and ZeRO-3 that no pass has scattered. With HSDP neighbours scatter them, and each
// share is summed over the other groups of sharers.
Transfer scattered_once(const AnalyticCosts& costs, TimedCollectives& timed, const DeviceGroup& copies,
                        double parameters) {
  if (!reduces_sharded_once(costs)) return {};
  const Parallelism& p = costs.parallelism;
  const Bytes gradient = costs.framework.gradient.value * parameters;
  if (p.shard_degree == 0) return among(timed, ReduceScatter, copies, gradient);
  const std::uint32_t block = p.shard_degree * p.tensor, sharers = block / copies.stride;
  Transfer all;
  if (sharers > 1) all = among(timed, ReduceScatter, {copies.first, sharers, copies.stride}, gradient);
  const std::uint32_t groups = copies.size / sharers;
  if (groups > 1) all = all + among(timed, AllReduce, {copies.first, groups, block}, gradient / sharers);
  return all;
}

// Each device of the group has the same `parameters`. ZeRO-2 has scattered their gradients before the step
// ends; ZeRO-3 gathers parameters when it needs them. A broadcast is a chain, which carries as much through
// each port as an all-gather in which one device holds everything.
GradientReduction over_copies(const AnalyticCosts& costs, TimedCollectives& timed, const DeviceGroup& copies,
                              double parameters, DataParallel data, Bytes weight = kElement) {
  if (copies.device_count() < 2 || parameters == 0) return {};
  if (data == DataParallel::Zero3) return {scattered_once(costs, timed, copies, parameters), {}};
  const Bytes gradient = costs.framework.gradient.value * parameters, weights = weight * parameters;
  if (data == DataParallel::Plain) return {among(timed, AllReduce, copies, gradient), {}};
  const Transfer gathered = returned(costs, timed, copies, weights);
  if (data == DataParallel::Zero2) return {scattered_once(costs, timed, copies, parameters), gathered};
  const auto& sum = costs.framework.gradient_sum;
  const bool whole = sum && sum->value == GradientSum::AllReduce;
  return {among(timed, whole ? AllReduce : ReduceScatter, copies, gradient), gathered};
}

// Members of one rank with the same parameters: each ends up with a share of the sum, and later gathers the
// rest.
GradientReduction inside_rank(const AnalyticCosts& costs, TimedCollectives& timed, const DeviceGroup& members,
                              double parameters) {
  if (members.size < 2 || parameters == 0) return {};
  const bool plain = costs.parallelism.data == DataParallel::Plain;
  const Bytes gradient = costs.framework.gradient.value * parameters;
  const Bytes gathered = plain ? gradient : kElement * parameters;
  return {{among(timed, ReduceScatter, members, gradient).alone +
               among(timed, AllGather, members, gathered).alone,
           Bytes()},
          {}};
}

// Every rank holds the same layers of a Replicated region; all ranks reduce them together.
bool reduces_as_before(const Outline& outline, const Stage& stage) {
  if (&stage == &outline.stages.front()) return false;
  return (&stage - 1)->region == stage.region && (&stage - 1)->layers == stage.layers &&
         outline.placement[stage.region.index()].layout == Layout::Replicated &&
         !outline.trained_on(stage.region);
}

// Traffic of the update. The device zeroes its gradients (written) and averages them (read and written;
// megatron/core/distributed/param_and_grad_buffer.py). For its share it reads gradients for their norm and
// again for the update, reads and writes master copy and moments, and writes parameters.
Seconds update(const AnalyticCosts& costs, const OperatorTimes& times, const ModelState& state) {
  const UpdatedShare share = updated_share(costs, state);
  const Bytes traffic = 3 * state.gradients + share.to_fp32 +
                        (2 * kGradient + 2 * costs.parallelism.states.each() + kElement) * share.here -
                        share.saved;
  return with_states_of_host(costs, state, traffic == Bytes() ? Seconds() : times.memory(traffic).time);
}

// The exposed part of `whole` if `share` of it hides, for at most the time of its cover.
Transfer exposed(const Transfer& whole, double share, Seconds cover) {
  if (whole.alone == Seconds()) return whole;
  const double left = 1 - std::min(whole.alone * share, cover) / whole.alone;
  return {whole.alone * left, whole.payload * left};
}

// The share of a device's gradients that is reduced before its last bucket is full.
double before_last_bucket(const AnalyticCosts& costs, const StageParameters& parameters) {
  const double held = parameters.on_device(costs.parallelism);
  if (held == 0) return 1;
  const Framework& framework = costs.framework;
  return std::max(0.0, 1 - framework.gradient_bucket.value / (framework.gradient.value * held));
}

// Moves every stage's reduction to the first stage of its rank, whose backward ends last.
void reduce_after_backward(const Outline& outline, std::vector<Transfer>& reductions) {
  std::vector<Transfer*> first(outline.pipeline.ranks, nullptr);
  for (std::uint32_t i = 0; i < reductions.size(); ++i) {
    const Stage& stage = outline.stages[i];
    const bool alone = outline.placement[stage.region.index()].layout != Layout::Replicated;
    if (!alone || outline.copy_of(stage) || reductions[i].alone == Seconds()) continue;
    Transfer*& own = first[stage.rank.index()];
    if (own == nullptr) {
      own = &reductions[i];
      continue;
    }
    *own = *own + reductions[i];
    reductions[i] = {};
  }
}

bool has_virtual_stages(const Outline& outline, RankId rank) {
  return std::ranges::count_if(outline.stages, [&](const Stage& stage) {
           return stage.rank == rank && outline.placement[stage.region.index()].layout != Layout::Replicated;
         }) > 1;
}

// The part of a stage's reduction that begins while its last backward still runs.
double reduced_in_backward(const AnalyticCosts& costs, const Outline& outline, const Stage& stage,
                           const StageParameters& parameters) {
  const Framework& framework = costs.framework;
  if (reduces_sharded_once(costs)) return framework.hidden_data.value;
  const bool by_bucket = !framework.reductions || framework.reductions->value == ReductionStart::ByBucket ||
                         (framework.reductions->value == ReductionStart::Aligned && stage.rank.index() == 0 &&
                          !has_virtual_stages(outline, stage.rank));
  return by_bucket ? framework.hidden_gradients.value * before_last_bucket(costs, parameters) : 0;
}

// Where the framework states no end of a step, each stage updates and gathers after its own reduction.
Transfer step_end_of_stage(const AnalyticCosts& costs, const StageSlabs& stages, StageId stage,
                           const Holders& holders, const ModelState& state, const Transfer& parameters,
                           Seconds cover, const std::vector<double>& factors) {
  Transfer end = exposed(parameters, costs.framework.hidden_parameters.value, cover);
  end.update = update_of_stage(costs, stages, stage, holders.ranks, state) *
               (factors.empty() ? 1 : factors[stage.index()]);
  end.alone += end.update;
  return end;
}

// Each member of the tensor-parallel group has the gradients of all images.
GradientReduction kept_alike(const AnalyticCosts& costs, TimedCollectives& timed, const DeviceGroup& members,
                             double parameters) {
  if (members.size < 2 || parameters == 0) return {};
  const Bytes gradient = costs.framework.gradient.value * parameters;
  return {{among(timed, AllReduce, members, gradient).alone, Bytes()}, {}};
}

// Bytes that primary weights save when updated parameters are gathered, of all tensor-parallel members.
struct SavedByGathers {
  Bytes tensor, expert;

  void add(const StageSlabs& stages, const StageSlabs::Block& block, const WeightBytes& replaced) {
    const double saved = 1 - block.gathered_weight / kElement;
    tensor += (replaced.split + replaced.unsplit * stages.parallelism.tensor) * saved;
    expert += replaced.experts * saved;
  }
  void apply(StageParameters& parameters) const {
    if (parameters.tensor > 0) parameters.tensor_weight -= tensor / parameters.tensor;
    if (parameters.expert > 0) parameters.expert_weight -= expert / parameters.expert;
  }
};

}  // namespace

UpdatedShare updated_share(const AnalyticCosts& costs, const ModelState& state) {
  const OptimizerStates& states = costs.parallelism.states;
  const double matrices = state.of_matrices / states.of_matrix();
  const double all = (state.optimizer - state.of_matrices) / states.each() + matrices;
  const Bytes buffer = costs.framework.gradient_buffer.value;
  const Bytes to_fp32 = buffer < kGradient ? buffer + kGradient : Bytes();
  const double here = 1 - states.offloaded;
  return {all, all * here, 2 * states.exp_avg_sq * (matrices * here), to_fp32 * all};
}

Seconds with_states_of_host(const AnalyticCosts& costs, const ModelState& state, Seconds on_device) {
  const OptimizerStates& states = costs.parallelism.states;
  const auto over_link = [&](Bytes bytes) { return bytes / costs.platform.accelerator.host_link->value; };
  if (states.offloaded > 0)
    return on_device +
           over_link((kGradient + states.main_params) * (updated_share(costs, state).all * states.offloaded));
  if (costs.parallelism.optimizer == OptimizerPlace::Device) return on_device;
  return std::max(on_device, over_link(state.optimizer));
}

bool reduces_sharded_once(const AnalyticCosts& costs) {
  return costs.parallelism.data >= DataParallel::Zero2 && costs.framework.sharding.reduces_once();
}

Holders holders_of(const Outline& outline, const Stage& stage) {
  if (outline.placement[stage.region.index()].layout == Layout::Replicated &&
      !outline.trained_on(stage.region))
    return {RankId(0), RankId(outline.pipeline.ranks - 1), outline.pipeline.ranks};
  if (const auto copy = outline.copy_of(stage)) return {stage.rank, *copy, 2};
  return {stage.rank, stage.rank, 1};
}

StageParameters trained_parameters(const StageSlabs& stages, StageId stage) {
  StageParameters parameters;
  SavedByGathers saved;
  for (const StageSlabs::Part& part : stages.parts(stage)) {
    const LayerCost cost = stages.slab(part).cost.trained();
    const StageSlabs::Block& block = stages.block(part);
    if (!block.gradients.weight) continue;
    const double dense = static_cast<double>(cost.dense_parameters);
    // Each tensor-parallel member reduces its own copy of the parameters that are not split.
    const double all_copies =
        dense + (stages.parallelism.tensor - 1.0) * static_cast<double>(cost.unsplit_parameters);
    if (!block.over_patches()) saved.add(stages, block, cost.trained_replaced);
    if (!block.over_patches())
      parameters.tensor += all_copies;
    else if (stages.parallelism.images == EncoderImages::Split)
      parameters.split += all_copies;
    else
      (stages.parallelism.images == EncoderImages::Shared ? parameters.member : parameters.repeated) += dense;
    parameters.expert += static_cast<double>(cost.expert_parameters);
  }
  saved.apply(parameters);
  return parameters;
}

// The number of a stage's tensors that a device updates: all on the device, or its share from ZeRO-1 on.
double updated_tensors(const StageSlabs& stages, StageId stage, std::uint32_t holders) {
  const Parallelism& parallelism = stages.parallelism;
  const bool shared = parallelism.data != DataParallel::Plain;
  const std::uint32_t copies = holders * stages.grid.replicas;
  double tensors = 0;
  for (const StageSlabs::Part& part : stages.parts(stage)) {
    const LayerCost& cost = stages.slab(part).cost;
    const StageSlabs::Block& block = stages.block(part);
    if (!block.gradients.weight) continue;
    tensors += cost.dense_tensors / (shared ? dense_sharers(block.stack->unit, parallelism, copies) : 1) +
               cost.expert_tensors / parallelism.expert / (shared ? expert_sharers(parallelism, copies) : 1);
  }
  return tensors;
}

Seconds update_of_stage(const AnalyticCosts& costs, const StageSlabs& stages, StageId stage,
                        std::uint32_t holders, const ModelState& state) {
  return update(costs, stages.times, state) + orthogonalization(stages, stage, holders) +
         on_host(costs.framework.update.value, costs.platform.accelerator) *
             updated_tensors(stages, stage, holders);
}

double StageParameters::on_device(const Parallelism& parallelism) const {
  return (tensor + split) / parallelism.tensor + expert / parallelism.expert + member + repeated;
}

GradientReduction GradientReductions::of(const Holders& holders, const StageParameters& parameters) {
  const AnalyticCosts& costs = *costs_;
  const RankId nearest = std::min(holders.first, holders.last),
               farthest = std::max(holders.first, holders.last);
  const DeviceId first = grid_.device(nearest, ReplicaId(0), 0);
  const std::uint32_t on_rank = grid_.replicas * grid_.members, expert = costs.parallelism.expert,
                      expert_devices = costs.parallelism.expert_devices();
  const std::uint32_t ranks_apart =
      holders.ranks > 1 ? (farthest.index() - nearest.index()) / (holders.ranks - 1) : 0;
  const std::uint32_t tensor = costs.parallelism.tensor;
  const DataParallel data = costs.parallelism.data;
  // The devices with the same parameters if `width` neighbours split them.
  const auto copies = [&](std::uint32_t width) {
    return DeviceGroup{first, on_rank / width, width, holders.ranks, ranks_apart * on_rank};
  };
  const DataParallel encoder = data == DataParallel::Plain ? data : DataParallel::Zero1;
  return inside_rank(costs, timed_, {first, grid_.members}, parameters.member) +
         over_copies(costs, timed_, copies(grid_.members), parameters.member / grid_.members, encoder) +
         kept_alike(costs, timed_, {first, tensor}, parameters.repeated) +
         over_copies(costs, timed_, copies(tensor), parameters.repeated, encoder) +
         over_copies(costs, timed_, copies(tensor), parameters.split / tensor, encoder) +
         over_copies(costs, timed_, copies(tensor), parameters.tensor / tensor, data,
                     parameters.tensor_weight) +
         over_copies(costs, timed_, copies(expert_devices), parameters.expert / expert, data,
                     parameters.expert_weight);
}

std::vector<Transfer> stage_broadcasts(const AnalyticCosts& costs, const Outline& outline,
                                       const StageSlabs& stages) {
  const std::uint32_t ranks = outline.pipeline.ranks;
  if (!outline.input.broadcast || ranks < 2) return {};
  const std::uint32_t on_rank = stages.grid.replicas * stages.grid.members;
  const DeviceGroup copies{stages.grid.device(RankId(0), ReplicaId(0), 0), 1, 1, ranks, on_rank};
  const double shares =
      costs.parallelism.data == DataParallel::Zero3 ? on_rank / costs.parallelism.tensor : 1;
  TimedCollectives timed(costs.platform);
  std::vector<Transfer> broadcasts;
  for (std::uint32_t i = 0; i < outline.stages.size() && outline.is_input(StageId(i)); ++i) {
    const StageParameters parameters = trained_parameters(stages, StageId(i));
    const double tensor = parameters.tensor / costs.parallelism.tensor;
    const double held = parameters.on_device(costs.parallelism) - tensor + tensor / shares;
    const Transfer gathered = among(timed, AllGather, copies, kElement * held * (ranks / (ranks - 1.0)));
    broadcasts.push_back({gathered.alone, kElement * held});
  }
  return broadcasts;
}

std::vector<Transfer> stage_reductions(const AnalyticCosts& costs, const Outline& outline,
                                       const StageSlabs& stages, const std::vector<ModelState>& states,
                                       const std::vector<Cover>& covers,
                                       const std::vector<double>& update_factors) {
  const Framework& framework = costs.framework;
  GradientReductions wholes(costs, stages.grid);
  std::vector<Transfer> reductions;
  for (std::uint32_t i = 0; i < outline.stages.size(); ++i) {
    const Stage& stage = outline.stages[i];
    if (reduces_as_before(outline, stage)) {
      reductions.push_back(Transfer(reductions.back()));
      continue;
    }
    if (!outline.trains(stage)) {
      reductions.push_back({});
      continue;
    }
    const StageParameters parameters = trained_parameters(stages, StageId(i));
    const Holders holders = holders_of(outline, stage);
    const GradientReduction whole = wholes.of(holders, parameters);
    const double hidden = reduced_in_backward(costs, outline, stage, parameters);
    const Cover cover = covers.empty() ? Cover{} : covers[i];
    Transfer& reduction = reductions.emplace_back(exposed(whole.gradients, hidden, cover.backward));
    if (framework.reductions) continue;
    const Transfer end = step_end_of_stage(costs, stages, StageId(i), holders, states[i], whole.parameters,
                                           cover.forward, update_factors);
    reduction = reduction + end;
    reduction.update = end.update;
  }
  if (framework.reductions && framework.reductions->value == ReductionStart::AfterBackward)
    reduce_after_backward(outline, reductions);
  return reductions;
}

}  // namespace spillway
