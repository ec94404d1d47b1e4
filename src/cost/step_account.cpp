#include "cost/step_account.h"

#include "base/error.h"
#include "cost/slabs/pass_flops.h"

namespace spillway {
namespace {

constexpr double kTrillion = 1e12;

Flops training_flops(const LayerCost& cost, Gradients gradients, DeviceLoad load) {
  Flops flops;
  for (const Pass pass : {Pass::Forward, Pass::WeightGradient, Pass::InputGradient})
    flops += pass_flops(cost, gradients, pass, load);
  return flops;
}

// The part of a microbatch that the block runs over, counted once, whichever members compute it.
DeviceLoad whole_load(const DrawLoads& loads, std::size_t block, const LayerCost& cost, LoadUnit unit,
                      ReplicaId replica, MicrobatchId microbatch) {
  DeviceLoad all{0, 0, 0.0};
  const auto add = [&](double tokens, std::span<const Sequences> sequences) {
    all.tokens += tokens;
    all.pairs += pairs_of(sequences);
    for (const auto& [count, length] : sequences) *all.windowed += count * cost.windowed_pairs(length);
  };
  if (unit == LoadUnit::Token) {
    const TokenLoad& tokens = loads.tokens(replica, microbatch);
    add(tokens.sequence, tokens.sequences);
  } else {
    for (const DeviceImages& member : loads.images(block, loads.cell(replica, microbatch)))
      add(member.patches, member.images);
  }
  return all;
}

template <class Visit>
void for_each_microbatch(const DrawLoads& loads, Visit visit) {
  for (std::uint32_t replica = 0; replica < loads.replicas(); ++replica)
    for (std::uint32_t microbatch = 0; microbatch < loads.microbatches(); ++microbatch)
      visit(ReplicaId(replica), MicrobatchId(microbatch));
}

}  // namespace

StepAccount step_account(const AnalyticCosts& costs, const Model& model, const Pipeline& pipeline,
                         const DrawLoads& loads) {
  StepAccount account;
  account.devices = device_grid(costs, pipeline).device_count();
  account.peak = costs.platform.accelerator.peak.value;
  if (costs.platform.price) account.price = costs.platform.price->value;
  for (std::size_t block = 0; block < costs.blocks.size(); ++block) {
    const SharedStack stack = costs.stacks->trained(costs.blocks[block].trained());
    const LayerCost cost = cost_of(stack->layers);
    DeviceLoad all{0, 0, 0.0};
    for_each_microbatch(loads, [&](ReplicaId replica, MicrobatchId microbatch) {
      const DeviceLoad load = whole_load(loads, block, cost, stack->unit, replica, microbatch);
      all.tokens += load.tokens;
      all.pairs += load.pairs;
      *all.windowed += *load.windowed;
    });
    account.model_flops += costs.equal_replicas * training_flops(cost, gradients_of(model, block), all);
  }
  for_each_microbatch(loads, [&](ReplicaId replica, MicrobatchId microbatch) {
    account.tokens += costs.equal_replicas * loads.tokens(replica, microbatch).sequence;
  });
  account.useful_tokens = costs.equal_replicas * static_cast<double>(loads.tally().useful_tokens);
  return account;
}

Throughput throughput(const StepAccount& account, Seconds makespan) {
  ensure(makespan > Seconds(), "a step with a throughput takes time");
  const double devices = account.devices;
  const double per_second = account.tokens / makespan.value();
  Throughput result{account.model_flops / (makespan * account.peak * devices),
                    per_second,
                    per_second / devices,
                    account.useful_tokens / makespan.value(),
                    account.useful_tokens / account.tokens,
                    {}};
  if (account.price) {
    const Dollars step = makespan * *account.price * devices;
    result.cost = StepCost{step, step * (kTrillion / account.useful_tokens)};
  }
  return result;
}

}  // namespace spillway
