#include "input/experiment/idle_keys.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "derive/modules.h"
#include "draws/costs.h"

namespace spillway {
namespace {

const char* nothing_is_drawn(const Experiment& experiment) {
  return draws_differ(experiment) ? nullptr : "nothing of this job is drawn";
}

const char* no_encoder(const Experiment& experiment) {
  const std::vector<Block>& blocks = experiment.model.blocks();
  const bool there = std::ranges::any_of(blocks, [](const Block& b) { return b.role == Role::Encoder; });
  return there ? nullptr : "no block has the role of an encoder";
}

const char* nothing_is_sent(const Experiment& experiment) {
  const bool among_ranks = experiment.pipeline.ranks > 1 || holds_copies(experiment);
  if (const auto* given = std::get_if<GivenCosts>(&experiment.costs)) {
    const bool takes_time = given->p2p > Seconds() || given->reduction.value_or(Seconds()) > Seconds();
    return among_ranks && takes_time ? nullptr : "nothing that is sent takes time";
  }
  const Parallelism& parallel = on_platform(experiment.costs)->parallelism;
  return among_ranks || parallel.members() > 1 ? nullptr : "the job is one device";
}

const char* one_rank(const Experiment& experiment) {
  return experiment.pipeline.ranks > 1 ? nullptr : "one rank has all stages";
}

const char* no_samples_move(const Experiment& experiment) {
  if (const char* why = nothing_is_drawn(experiment)) return why;
  return experiment.pipeline.replicas > 1 ? nullptr : "there is one replica";
}

constexpr std::array<IdleRule<Experiment>, 2> kJobKeys = {
    {{"seed", nothing_is_drawn}, {"draws", nothing_is_drawn}}};
constexpr std::array<IdleRule<Experiment>, 2> kEqualTerms = {
    {{"moves_samples", no_samples_move}, {"knows_draw", nothing_is_drawn}}};
constexpr std::array<IdleRule<Experiment>, 3> kWhatIfKeys = {
    {{"encoder_time", no_encoder}, {"link_speed", nothing_is_sent}, {"even_stages", one_rank}}};

// Raises the job's sizes to the largest that its modules have, since the keys act on modules, too.
Experiment as_large_as_its_modules(Experiment experiment) {
  const Pipeline job = experiment.pipeline;
  AnalyticCosts* priced = on_platform(experiment.costs);
  for (const ScheduleSpec& schedule : experiment.schedules) {
    if (schedule.modules.empty()) continue;
    experiment.pipeline.ranks = std::max(experiment.pipeline.ranks, unit_of(job, schedule.modules).ranks);
    for (const PlacedModule& module : schedule.modules) {
      experiment.pipeline.replicas = std::max(experiment.pipeline.replicas, module.replicas);
      if (!priced) continue;
      Parallelism& parallel = priced->parallelism;
      parallel.tensor = std::max(parallel.tensor, module.tensor);
      parallel.context = std::max(parallel.context, module.context);
    }
  }
  return experiment;
}

// One block of a job.
struct BlockOfJob {
  const Experiment& job;
  std::size_t block;
};

Model in_a_row(const Model& model) {
  std::vector<Block> blocks = model.blocks();
  for (Block& block : blocks) block.beside_next = false;
  return Model(std::move(blocks));
}

// Towers side by side pass no gradients to each other; on a platform their outputs travel on together, too.
const char* stands_in_a_row(const BlockOfJob& of) {
  const Model &model = of.job.model, row = in_a_row(model);
  if (!model.blocks()[of.block].beside_next) return "the block feeds the next one in any case";
  if (on_platform(of.job.costs)) return nullptr;
  for (std::size_t i = 0; i < model.blocks().size(); ++i)
    if (passes_gradient(model, i) != passes_gradient(row, i)) return nullptr;
  return "the same gradients pass through all blocks without it";
}

constexpr std::array<IdleRule<BlockOfJob>, 1> kFeedsKeys = {{{"feeds", stands_in_a_row}}};

}  // namespace

bool has_backward(const Experiment& experiment, std::size_t block) {
  return passes_gradient(experiment.model, block);
}

bool holds_copies(const Experiment& experiment) {
  if (experiment.pipeline.replicas > 1) return true;
  return experiment.pipeline.ranks > 1 &&
         std::any_of(experiment.schedules.begin(), experiment.schedules.end(), [](const ScheduleSpec& spec) {
           const auto& skeletons = spec.schedule.skeletons;
           return transposes(spec.schedule) ||
                  std::any_of(skeletons.begin(), skeletons.end(),
                              [](const Skeleton& one) { return fold_of(one) == Fold::Bidirectional; });
         });
}

std::vector<IdleKey> idle_keys(const Node& document, const Experiment& read) {
  const Experiment experiment = as_large_as_its_modules(read);
  std::vector<IdleKey> idle;
  add_idle<Experiment>(&document, "", kJobKeys, experiment, idle);
  add_idle<Experiment>(member(&document, "equal_terms"), "/equal_terms", kEqualTerms, experiment, idle);
  add_idle<Experiment>(member(&document, "what_if"), "/what_if", kWhatIfKeys, experiment, idle);
  const Node* blocks = member(member(&document, "model"), "blocks");
  for (std::size_t i = 0; i < experiment.model.blocks().size(); ++i)
    add_idle<BlockOfJob>(element(blocks, i), "/model/blocks/" + std::to_string(i), kFeedsKeys,
                         {experiment, i}, idle);
  if (!on_platform(experiment.costs))
    add_idle_given_keys(document, experiment, idle);
  else
    add_idle_analytic_keys(document, experiment, idle);
  add_idle_workload_keys(document, experiment, idle);
  add_idle_schedule_keys(document, experiment, idle);
  return idle;
}

}  // namespace spillway
