#include <algorithm>
#include <array>
#include <string>

#include "experiment/encoder_images.h"
#include "input/experiment/idle_keys.h"

namespace spillway {
namespace {

const Parallelism& parallelism(const Experiment& job) {
  return on_platform(job.costs)->parallelism;
}

const char* of_tensors(const Experiment& job) {
  return parallelism(job).tensor > 1 ? nullptr : "tensor is 1, so nothing is split";
}

const char* of_contexts(const Experiment& job) {
  return parallelism(job).context > 1 ? nullptr : "context is 1, so attention is not split";
}

const char* of_experts(const Experiment& job) {
  return parallelism(job).expert > 1 ? nullptr : "expert is 1, so no token is sent to experts";
}

const char* of_image_sharers(const Experiment& job) {
  if (!encodes_images(job)) return "no image is encoded";
  return has_several_devices(job) ? nullptr : "a rank is one device, which encodes all images";
}

// Encoders may be on every member of a rank.
const char* data(const Experiment& job) {
  return parallelism(job).members() > 1 || holds_copies(job) ? nullptr
                                                             : "no two devices hold the same parameters";
}

const char* transfers(const Experiment& job) {
  return job.pipeline.ranks > 1 ? nullptr : "one rank sends nothing";
}

const char* collectives(const Experiment& job) {
  return parallelism(job).members() > 1 || parallelism(job).expert_devices() > 1
             ? nullptr
             : "a rank is one device, so no collective runs inside its passes";
}

// Includes the collectives of ZeRO.
const char* inner_collectives(const Experiment& job) {
  const DataParallel data = parallelism(job).data;
  const bool shared = data == DataParallel::Zero2 || data == DataParallel::Zero3;
  return shared && holds_copies(job) ? nullptr : collectives(job);
}

const char* optimizer(const Experiment& job) {
  const auto trained = [](const Block& block) { return block.trainable; };
  return std::ranges::any_of(job.model.blocks(), trained) ? nullptr : "nothing is trained";
}

constexpr std::array<IdleRule<Experiment>, 15> kParallelKeys = {{{"data", data},
                                                                 {"reshard_after_forward", data},
                                                                 {"optimizer", optimizer},
                                                                 {"main_params_dtype", optimizer},
                                                                 {"exp_avg_dtype", optimizer},
                                                                 {"exp_avg_sq_dtype", optimizer},
                                                                 {"optimizer_offload_fraction", optimizer},
                                                                 {"muon_num_ns_steps", optimizer},
                                                                 {"context_by", of_contexts},
                                                                 {"images", of_image_sharers},
                                                                 {"sequence_parallel", of_tensors},
                                                                 {"tensor_overlap", of_tensors},
                                                                 {"expert_imbalance", of_experts},
                                                                 {"dispatch", of_experts},
                                                                 {"fp8_dispatch", of_experts}}};
constexpr std::array<IdleRule<Experiment>, 2> kPricedNetworkKeys = {
    {{"p2p", transfers}, {"collectives", collectives}}};

// Without a framework, the platform alone states a host.
const char* hosts(const Experiment& job) {
  const AnalyticCosts& costs = *on_platform(job.costs);
  const bool takes_time =
      costs.platform.accelerator.host_overhead.value > Seconds() || !costs.framework.name.empty();
  return takes_time ? nullptr : "no host takes time";
}

constexpr std::array<IdleRule<Experiment>, 2> kPricedWhatIfKeys = {
    {{"inner_collective_time", inner_collectives}, {"host_speed", hosts}}};

// Modules may lie apart, so they are taken to reach every tier.
const char* reaches(const Experiment& job, std::size_t port) {
  const AnalyticCosts& costs = *on_platform(job.costs);
  const bool in_modules = std::ranges::any_of(
      job.schedules, [](const ScheduleSpec& schedule) { return !schedule.modules.empty(); });
  const std::uint32_t devices = device_grid(costs, job.pipeline).device_count();
  std::uint32_t inside = 1;  // devices of a group of the tier before
  for (const Tier& tier : costs.platform.tiers) {
    if (tier.port == port && (in_modules || devices > inside)) return nullptr;
    inside = tier.devices;
  }
  return "all devices of the job lie in a group of a smaller tier";
}

void add_idle_ports(const Node* what_if, const Experiment& job, std::vector<IdleKey>& idle) {
  const std::vector<NetworkPort>& ports = on_platform(job.costs)->platform.ports;
  const std::string place = "/what_if/port_speed";
  for (std::size_t port = 0; port < ports.size(); ++port)
    if (const char* why = reaches(job, port); why && member(member(what_if, "port_speed"), ports[port].name))
      idle.push_back({child(place, ports[port].name), why});
}

bool recomputes_some(const Architecture& architecture, Modules modules) {
  const LayerStack stack = layer_stack(architecture);
  return std::ranges::any_of(stack.layers, [&](const Layer& layer) {
    return std::ranges::any_of(layer.operators, [&](const Operator& op) { return op.inside.meets(modules); });
  });
}

struct PricedBlock {
  const Experiment& job;
  std::size_t block;
};

const BlockCosts& costs(const PricedBlock& one) {
  return on_platform(one.job.costs)->blocks[one.block];
}

const Recomputation& recomputation(const PricedBlock& one) {
  return costs(one).recompute;
}

const char* recompute(const PricedBlock& one) {
  if (!has_backward(one.job, one.block))
    return "nothing up to this block is trained, so it has no backward to recompute for";
  const Recomputation& what = recomputation(one);
  return what.what != Recompute::None || !what.modules.any() ||
                 recomputes_some(costs(one).architecture, what.modules)
             ? nullptr
             : "no layer of this block has such modules";
}

const char* layers_recomputed(const PricedBlock& one) {
  return recomputation(one).any() ? recompute(one) : "recompute is none, so nothing is recomputed";
}

const char* together(const PricedBlock& one) {
  if (const char* why = layers_recomputed(one)) return why;
  return recomputation(one).what == Recompute::Full
             ? nullptr
             : "only recompute full keeps one input for several layers";
}

const char* fixed_in(const PricedBlock& one) {
  const std::string pointer = "/model/blocks/" + std::to_string(one.block) + "/fixed_ms";
  const bool fitted =
      std::ranges::any_of(one.job.fits, [&](const FitSpec& f) { return f.pointer == pointer; });
  return fitted || costs(one).fixed_per_microbatch > Seconds() ? nullptr : "fixed_ms is 0";
}

const char* activation_input(const PricedBlock& one) {
  if (!has_backward(one.job, one.block))
    return "nothing up to this block is trained, so it keeps nothing for a backward";
  return has_stored_activations(layer_stack(costs(one).architecture).layers)
             ? nullptr
             : "no layer of this block has a SwiGLU";
}

const char* offload(const PricedBlock& one) {
  return has_backward(one.job, one.block)
             ? nullptr
             : "nothing up to this block is trained, so it keeps nothing for a backward";
}

constexpr std::array<IdleRule<PricedBlock>, 7> kPricedBlockKeys = {
    {{"fixed_in", fixed_in},
     {"offload", offload},
     {"activation_func_fp8_input_store", activation_input},
     {"recompute", recompute},
     {"recompute_layers", layers_recomputed},
     {"recompute_every", layers_recomputed},
     {"recompute_together", together}}};

const char* wiring(const Platform& platform) {
  return platform.library == CollectiveLibrary::Hccl ? nullptr
                                                     : "NCCL's choice of algorithm does not depend on it";
}

constexpr std::array<IdleRule<Platform>, 1> kTierKeys = {{{"wiring", wiring}}};

// Covers a platform inside the experiment, and changes to a platform file.
void add_idle_tier_keys(const Node& document, const Platform& platform, std::vector<IdleKey>& idle) {
  const Node* tiers = member(member(&document, "platform"), "tiers");
  const Node* changes = member(&document, "platform_set");
  for (std::size_t i = 0; i < platform.tiers.size(); ++i) {
    const std::string tier = "/tiers/" + std::to_string(i);
    add_idle<Platform>(element(tiers, i), "/platform" + tier, kTierKeys, platform, idle);
    for (const auto& [key, why] : kTierKeys)
      if (const std::string set = tier + "/" + std::string(key); member(changes, set) && why(platform))
        idle.push_back({child("/platform_set", set), why(platform)});
  }
}

}  // namespace

void add_idle_analytic_keys(const Node& document, const Experiment& experiment, std::vector<IdleKey>& idle) {
  const Node* blocks = member(member(&document, "model"), "blocks");
  for (std::size_t i = 0; i < experiment.model.blocks().size(); ++i)
    add_idle<PricedBlock>(element(blocks, i), "/model/blocks/" + std::to_string(i), kPricedBlockKeys,
                          {experiment, i}, idle);
  add_idle<Experiment>(member(&document, "parallel"), "/parallel", kParallelKeys, experiment, idle);
  add_idle<Experiment>(member(&document, "network"), "/network", kPricedNetworkKeys, experiment, idle);
  add_idle<Experiment>(member(&document, "what_if"), "/what_if", kPricedWhatIfKeys, experiment, idle);
  add_idle_ports(member(&document, "what_if"), experiment, idle);
  add_idle_tier_keys(document, on_platform(experiment.costs)->platform, idle);
}

}  // namespace spillway
