#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"
#include "systems/system.h"
#include "systems/system_list.h"

namespace spillway {
namespace {

bool moves(const System& system, const SystemOptions& options) {
  if (options.moves_samples) return *options.moves_samples;
  if (options.balance_samples) return true;
  // With a stated owner map, whole microbatches stay on the ranks that it names.
  const bool by_rule = system.moves_samples && !options.owner;
  return by_rule && options.plans_each_draw(true);
}

std::vector<Violation> check_terms(const System& system, const SystemOptions& options) {
  std::vector<Violation> violations;
  const bool moving = moves(system, options);
  if (options.knows_draw == false && moving)
    violations.push_back({"", options.balance_samples ? "/balance_samples" : "/moves_samples",
                          "false, since knows_draw is false and moving samples needs their sizes", "true"});
  if (options.knows_draw == false && options.orders_by_sizes())
    violations.push_back(
        {"", "/order", "as-sampled, since knows_draw is false and every other order needs each draw's sizes",
         "an order that needs sizes"});
  if (options.knows_draw == true && !moving && !system.plans_by_sizes)
    violations.push_back({"", "/knows_draw",
                          "false, or true together with moves_samples: nothing else in the layout of " +
                              std::string(system.name) + " depends on sizes",
                          "true"});
  return violations;
}

// Runs before regions are cut; their content is checked then.
std::vector<Violation> check_regions(const Model& model, const Schedule& body) {
  if (body.skeletons.size() <= model.layer_count()) return {};
  return {{"", "/body",
           "at most as many regions as the " + std::to_string(model.layer_count()) + " layers of the model",
           std::to_string(body.skeletons.size())}};
}

// Adds a rule to a layout that has none of its own for samples that move.
void move_samples(const SystemJob& job, ScheduleSpec& spec) {
  using Rule = Regrouping::Rule;
  Rule& rule = spec.regrouping.rule;
  if (job.pipeline.replicas == 1 || (rule != Rule::AsDrawn && rule != Rule::Pooled)) return;
  rule = rule == Rule::AsDrawn ? Rule::Stratified : Rule::DealtAndPooled;
  spec.assumptions.emplace_back(
      "samples move because moves_samples asks for it, not by the authors' rule: those with the most patches "
      "first, to replicas and then to their microbatches, in no time");
}

// Lays a system out on the requested terms, or on its authors' if none are requested. Moving samples needs
// their sizes, so moves_samples requires knows_draw. If sizes decide nothing else in the plan, knows_draw
// requires moves_samples. A system without its own rule for moving samples uses DistTrain's: largest first,
// to replicas, then to the microbatches of each.
LaidOut lay_on_terms(const System& system, const SystemJob& job, const SystemOptions& chosen) {
  std::vector<Violation> violations = check_terms(system, chosen);
  for (Violation& found : check_regions(job.model, chosen.body)) violations.push_back(std::move(found));
  if (!violations.empty()) return violations;
  SystemOptions options = chosen;
  // If nothing is drawn, there are no samples to move.
  options.moves_samples = job.drawn && moves(system, chosen);
  options.balance_samples = job.drawn && chosen.balance_samples;
  // A plan that reads sizes for one purpose knows them for all.
  if (chosen.moves_samples == true && !chosen.owner_from_draw) options.knows_draw = true;
  LaidOut laid = system.layout(job, options);
  auto* spec = std::get_if<ScheduleSpec>(&laid);
  if (!spec) return laid;
  if (*options.moves_samples) move_samples(job, *spec);
  spec->unranked = system.unranked;
  return laid;
}

std::string those_with_generators() {
  std::vector<std::string> names;
  for (const System& system : systems())
    if (system.has_generator) names.emplace_back(system.name);
  return joined(names);
}

}  // namespace

LaidOut System::lay(const SystemJob& job, const SystemOptions& chosen) const {
  const std::vector<Block>& blocks = job.model.blocks();
  const auto generator =
      std::ranges::find_if(blocks, [](const Block& block) { return block.role == Role::Generator; });
  if (has_generator || generator == blocks.end()) return lay_on_terms(*this, job, chosen);
  return std::vector<Violation>{
      {"", "/system",
       "a model without a generator: " + std::string(name) +
           "'s authors do not describe one; systems that take one: " + those_with_generators(),
       "block " + generator->name}};
}

Schedule interleaved_body(std::uint32_t chunks) {
  return {std::vector<Skeleton>(chunks, Skeleton(SkeletonKind::OneFOneB))};
}

std::span<const System> systems() {
  static const std::vector<System> all = [] {
    std::vector<System> listed;
    for (const System* system : kEverySystem) listed.push_back(*system);
    std::ranges::stable_partition(listed, &System::is_baseline);
    return listed;
  }();
  return all;
}

}  // namespace spillway
