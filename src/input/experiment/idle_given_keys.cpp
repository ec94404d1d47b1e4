#include <algorithm>
#include <array>

#include "input/experiment/idle_keys.h"

namespace spillway {
namespace {

struct GivenBlock {
  const Experiment& job;
  const GivenCosts& costs;
  std::size_t block;

  const BlockProfile& profile() const { return costs.blocks[block]; }
  bool trained() const { return job.model.blocks()[block].trainable; }
};

template <class Predicate>
bool any_skeleton(const Experiment& job, Predicate predicate) {
  return std::any_of(job.schedules.begin(), job.schedules.end(), [&](const ScheduleSpec& spec) {
    const auto& skeletons = spec.schedule.skeletons;
    return std::any_of(skeletons.begin(), skeletons.end(), predicate);
  });
}

const char* fused(const GivenBlock& one) {
  if (!any_skeleton(one.job, [](const Skeleton& skeleton) { return fuses(skeleton); }))
    return "no schedule runs a forward and a backward together";
  const BlockProfile& profile = one.profile();
  const Seconds backward = profile.input_gradient + profile.weight_gradient;
  return std::min(profile.forward, backward) > Seconds() ? nullptr
                                                         : "there is no second pass that could overlap";
}

const char* of_weight_gradient(const GivenBlock& one) {
  if (!one.trained()) return "the block is frozen and has no weight gradient";
  return any_skeleton(one.job, splits_backward) ? nullptr : "no schedule splits its backwards";
}

const char* backward_work(const GivenBlock& one) {
  return has_backward(one.job, one.block) ? nullptr
                                          : "nothing up to this block is trained, so it has no backward";
}

const char* bytes(const GivenBlock& one) {
  return states_memory(one.costs, one.job.model)
             ? nullptr
             : "memory is computed only if every block with a backward states activation_bytes";
}

bool is_transposed(const Skeleton& skeleton) {
  return layout_of(skeleton) == Layout::Replicated;
}

// Returns true if the block's last layer or one inside it passes its output to a transposed region, or from a
// transposed region to the next one.
bool hands_over(const GivenBlock& one, const ScheduleSpec& spec) {
  const NormalForm normal = normal_form(one.job.model, spec.schedule, spec.cut);
  const LayerRange layers = one.job.model.layers_of(one.block);
  for (std::size_t seam = 0; seam < normal.cut.boundaries.size(); ++seam) {
    const auto& skeletons = normal.schedule.skeletons;
    const std::uint32_t boundary = normal.cut.boundaries[seam];
    const bool transposed = is_transposed(skeletons[seam]) || is_transposed(skeletons[seam + 1]);
    if (transposed && layers.first < boundary && boundary <= layers.end) return true;
  }
  return false;
}

const char* output(const GivenBlock& one) {
  const auto& specs = one.job.schedules;
  const bool waits = std::any_of(specs.begin(), specs.end(),
                                 [&](const ScheduleSpec& spec) { return hands_over(one, spec); });
  return waits ? bytes(one)
               : "the block passes no output to a transposed region and is not transposed itself";
}

const char* trained_bytes(const GivenBlock& one) {
  return one.trained() ? bytes(one) : "the block is frozen and has neither gradients nor an optimizer";
}

constexpr std::array<IdleRule<GivenBlock>, 6> kProfileKeys = {
    {{"fused_forward_backward_ms", fused},
     {"weight_gradient_activation_bytes", of_weight_gradient},
     {"output_bytes", output},
     {"parameter_bytes", bytes},
     {"gradient_bytes", trained_bytes},
     {"optimizer_bytes", trained_bytes}}};
constexpr std::array<IdleRule<GivenBlock>, 1> kBlockKeys = {
    {{"backward_work_per_microbatch", backward_work}}};

bool reduces(const Experiment& job) {
  return holds_copies(job) && job.model.trainable({0, job.model.layer_count()});
}

const char* reduction(const Experiment& job) {
  return reduces(job) ? nullptr : "no gradient is reduced over more than one rank";
}

const char* transfer(const Experiment& job) {
  const bool reduction_takes_it = reduces(job) && !std::get<GivenCosts>(job.costs).reduction;
  return job.pipeline.ranks > 1 || reduction_takes_it ? nullptr : "one rank sends nothing";
}

const char* mode(const Experiment& job) {
  if (job.pipeline.ranks == 1) return "one rank sends nothing";
  return std::get<GivenCosts>(job.costs).p2p > Seconds() ? nullptr : "transfers take no time, so none blocks";
}

constexpr std::array<IdleRule<Experiment>, 3> kNetworkKeys = {
    {{"p2p_ms", transfer}, {"reduction_ms", reduction}, {"p2p", mode}}};

}  // namespace

void add_idle_given_keys(const Node& document, const Experiment& experiment, std::vector<IdleKey>& idle) {
  const auto& costs = std::get<GivenCosts>(experiment.costs);
  const Node* blocks = member(member(&document, "model"), "blocks");
  for (std::size_t i = 0; i < costs.blocks.size(); ++i) {
    const std::string pointer = "/model/blocks/" + std::to_string(i);
    const GivenBlock one{experiment, costs, i};
    add_idle<GivenBlock>(element(blocks, i), pointer, kBlockKeys, one, idle);
    add_idle<GivenBlock>(member(element(blocks, i), "profile"), pointer + "/profile", kProfileKeys, one,
                         idle);
  }
  add_idle<Experiment>(member(&document, "network"), "/network", kNetworkKeys, experiment, idle);
}

}  // namespace spillway
