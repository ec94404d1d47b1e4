#include <array>

#include "spec/experiment/idle_rule.h"

namespace spillway {
namespace {

const Parallelism& parallelism(const Experiment& job) {
  return std::get<AnalyticExperiment>(job.costs).costs.parallelism;
}

const char* of_tensors(const Experiment& job) {
  return parallelism(job).tensor > 1 ? nullptr : "tensor is 1, so nothing is split";
}

const char* of_experts(const Experiment& job) {
  return parallelism(job).expert > 1 ? nullptr : "expert is 1, so no token travels to its experts";
}

// Encoders lie on every member of a rank.
const char* data(const Experiment& job) {
  return parallelism(job).members() > 1 || holds_copies(job) ? nullptr
                                                             : "no two devices hold the same parameters";
}

const char* transfers(const Experiment& job) {
  return job.pipeline.ranks > 1 ? nullptr : "one rank sends nothing";
}

const char* collectives(const Experiment& job) {
  return parallelism(job).members() > 1 || parallelism(job).expert > 1
             ? nullptr
             : "a rank is one device, so no collective runs inside its passes";
}

constexpr std::array<IdleRule<Experiment>, 6> kParallelKeys = {{{"data", data},
                                                                {"sequence_parallel", of_tensors},
                                                                {"tensor_overlap", of_tensors},
                                                                {"expert_imbalance", of_experts},
                                                                {"dispatch", of_experts},
                                                                {"fp8_dispatch", of_experts}}};
constexpr std::array<IdleRule<Experiment>, 2> kPricedNetworkKeys = {
    {{"p2p", transfers}, {"collectives", collectives}}};

struct PricedBlock {
  const Experiment& job;
  std::size_t block;
};

const char* recompute(const PricedBlock& one) {
  return has_backward(one.job, one.block)
             ? nullptr
             : "nothing up to this block is trained, so it has no backward to recompute for";
}

constexpr std::array<IdleRule<PricedBlock>, 1> kPricedBlockKeys = {{{"recompute", recompute}}};

}  // namespace

void add_idle_analytic_keys(const Node& document, const Experiment& experiment, std::vector<IdleKey>& idle) {
  const Node* blocks = member(member(&document, "model"), "blocks");
  for (std::size_t i = 0; i < experiment.model.blocks().size(); ++i)
    add_idle<PricedBlock>(element(blocks, i), "/model/blocks/" + std::to_string(i), kPricedBlockKeys,
                          {experiment, i}, idle);
  add_idle<Experiment>(member(&document, "parallel"), "/parallel", kParallelKeys, experiment, idle);
  add_idle<Experiment>(member(&document, "network"), "/network", kPricedNetworkKeys, experiment, idle);
}

}  // namespace spillway
