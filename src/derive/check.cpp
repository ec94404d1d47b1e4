#include <algorithm>
#include <numeric>

#include "base/append.h"
#include "derive/derive.h"
#include "derive/module_runs.h"
#include "derive/order_stream.h"
#include "derive/stages.h"

namespace spillway {
namespace {

std::vector<Violation> check_sizes(const Pipeline& pipeline) {
  std::vector<Violation> violations;
  const auto positive = [&](const char* key, std::uint32_t value) {
    if (value == 0) violations.push_back({"", std::string("/pipeline/") + key, "at least 1", "0"});
  };
  positive("ranks", pipeline.ranks);
  positive("microbatches", pipeline.microbatches);
  positive("replicas", pipeline.replicas);
  return violations;
}

// The number of events of one replica, computed before anything is built. It is a double, because the product
// may exceed an integer.
double event_count(const Schedule& schedule, const DeriveOptions& options) {
  const double m = options.pipeline.microbatches;
  double events = 1 + m;
  for (const Skeleton& skeleton : schedule.skeletons) {
    const bool sharded = layout_of(skeleton) == Layout::Sharded;
    const double stages = sharded ? static_cast<double>(stage_count(skeleton, options.pipeline.ranks)) : 1;
    const double passes = sharded && splits_backward(skeleton) ? 3 : 2;
    events += passes * stages * m + 2 * (stages - 1) * m + stages + 2 * m;
  }
  return events;
}

std::vector<Violation> check_event_count(const Schedule& schedule, const DeriveOptions& options,
                                         std::uint64_t most) {
  const Pipeline& pipeline = options.pipeline;
  const double events = event_count(schedule, options);
  if (events <= static_cast<double>(most)) return {};
  return {{"", "/pipeline", "ranks x microbatches with at most " + std::to_string(most) + " events",
           std::to_string(pipeline.ranks) + " x " + std::to_string(pipeline.microbatches) + ", about " +
               std::to_string(static_cast<std::uint64_t>(events)) + " events"}};
}

// The number of distinct ranks with stages of a region.
std::uint32_t ranks_of(const Region& region, const DeriveOptions& options) {
  if (options.modules.empty()) return options.pipeline.ranks;
  return options.modules[module_of_layer(options.modules, region.layers.first)].ranks;
}

std::vector<Violation> check_layer_split(const std::vector<Region>& regions, const Schedule& schedule,
                                         const DeriveOptions& options) {
  std::vector<Violation> violations;
  const std::vector<std::size_t> sharded = sharded_regions(schedule);
  const auto stages = [&](std::size_t region) {
    return stage_count(schedule.skeletons[region], ranks_of(regions[region], options));
  };
  if (options.layers_per_rank.empty()) {
    for (std::size_t region : sharded) {
      if (regions[region].layers.size() >= stages(region)) continue;
      violations.push_back({"", "/cut",
                            "at least " + std::to_string(stages(region)) + " layers in region " +
                                regions[region].name + ", one per stage",
                            std::to_string(regions[region].layers.size())});
    }
    return violations;
  }
  std::size_t all = 0;
  for (std::size_t region : sharded) all += stages(region);
  if (options.layers_per_rank.size() != all) {
    return {{"", "/layers_per_rank", std::to_string(all) + " numbers, one per stage of the pipelined regions",
             std::to_string(options.layers_per_rank.size())}};
  }
  for (std::size_t i = 0; i < options.layers_per_rank.size(); ++i) {
    if (options.layers_per_rank[i] > 0) continue;
    violations.push_back({"", "/layers_per_rank/" + std::to_string(i), "at least 1 layer", "0"});
  }
  auto begin = options.layers_per_rank.begin();
  for (std::size_t region : sharded) {
    const auto end = begin + stages(region);
    const std::uint64_t sum = std::accumulate(begin, end, std::uint64_t{0});
    begin = end;
    if (sum == regions[region].layers.size()) continue;
    violations.push_back({"", "/layers_per_rank",
                          "numbers that add up to the " + std::to_string(regions[region].layers.size()) +
                              " layers of region " + regions[region].name,
                          std::to_string(sum)});
  }
  return violations;
}

// A listed region has its order, and must be the only pipelined region.
std::vector<Violation> check_listed(const Schedule& schedule) {
  const auto& all = schedule.skeletons;
  const auto listed = std::find_if(all.begin(), all.end(), is_listed);
  if (listed == all.end()) return {};
  if (!listed->listed) return {{"", "/schedule", "an order for the listed region", "none"}};
  if (formula_suffices(schedule)) return {};
  return {{"", "/schedule", "no region after a listed one, and only transposed regions before it",
           to_string(schedule)}};
}

// A list schedule runs every pass by itself.
std::vector<Violation> pairs_are_lost(const Schedule& schedule) {
  return {{"", "/schedule",
           "no region after the pairs of forwards and backwards, and only transposed regions before them",
           to_string(schedule)}};
}

std::vector<Violation> check_run_shape(const Schedule& schedule, const std::vector<Region>& regions,
                                       const DeriveOptions& options) {
  std::vector<Violation> violations;
  if (!options.modules.empty()) {
    for (const ModuleRun& run : module_runs(schedule, regions, options))
      append(violations, check_shape(run.run.skeleton, run_shape(run, options)));
    return violations;
  }
  for (const ShardedRun& run : sharded_runs(schedule)) {
    // Megatron's groups apply to interleaved bodies by formula; list schedules have no groups.
    const bool grouped = traits_of(run.skeleton).weaving == Weaving::InGroups;
    if (grouped && !formula_suffices(schedule)) {
      if (fuses(run.skeleton)) append(violations, pairs_are_lost(schedule));
      continue;
    }
    append(violations, check_shape(run.skeleton, run_shape(run, options)));
  }
  return violations;
}

std::vector<Violation> check_up_to(std::uint64_t most_events, const Model& model, const Schedule& schedule,
                                   const Cut& cut, const DeriveOptions& options) {
  std::vector<Violation> violations = check_sizes(options.pipeline);
  append(violations, check_schedule(schedule));
  append(violations, check_listed(schedule));
  if (!violations.empty()) return violations;
  append(violations, check_event_count(schedule, options, most_events));
  append(violations, check_cut(cut, model, schedule.skeletons.size()));
  if (!violations.empty()) return violations;
  const NormalForm normal = normal_form(model, schedule, cut);
  append(violations, check_event_count(normal.schedule, options, most_events));
  const std::vector<Region> regions = regions_of(model, normal.cut);
  append(violations, check_module_regions(options.modules, regions, normal.schedule));
  if (!violations.empty()) return violations;
  append(violations, check_layer_split(regions, normal.schedule, options));
  append(violations, check_run_shape(normal.schedule, regions, options));
  return violations;
}

// True if the input's passes run before or after the body, each as soon as possible.
bool input_is_free(const DeriveOptions& options) {
  return options.placed.empty() && options.hidden.empty() && options.input == InputRule{};
}

bool joins_replicas(const DeriveOptions& options) {
  return std::any_of(options.joined_replicas.begin(), options.joined_replicas.end(),
                     [](std::uint32_t joined) { return joined > 1; });
}

// The largest stream: smaller if the ranks' orders must be held because slots do not follow from positions.
std::uint64_t most_streamed(const Schedule& schedule) {
  const std::vector<ShardedRun> runs = sharded_runs(schedule);
  const bool held = std::any_of(runs.begin(), runs.end(),
                                [](const ShardedRun& run) { return !follows_by_slot(run.skeleton); });
  return held ? kLargestOrder : kLargestStream;
}

}  // namespace

std::vector<Violation> check_derive(const Model& model, const Schedule& schedule, const Cut& cut,
                                    const DeriveOptions& options) {
  return check_up_to(kLargestOrder, model, schedule, cut, options);
}

std::vector<Violation> check_stream(const Model& model, const Schedule& schedule, const Cut& cut,
                                    const DeriveOptions& options) {
  std::vector<Violation> violations = check_up_to(most_streamed(schedule), model, schedule, cut, options);
  if (!violations.empty()) return violations;
  if (!formula_suffices(normal_form(model, schedule, cut).schedule))
    violations.push_back(
        {"", "/schedule",
         "one run of pipelined regions, with only transposed regions before it, since this order is streamed",
         to_string(schedule)});
  if (joins_replicas(options))
    violations.push_back({"", "/pipeline/replicas", "independent replicas, since this order is streamed",
                          "expert groups that span replicas"});
  if (!options.modules.empty())
    violations.push_back(
        {"", "/modules", "one pipeline, since this order is streamed", "modules on dedicated devices"});
  if (!input_is_free(options))
    violations.push_back({"", "/schedule",
                          "a transposed input that runs before its body, since this order is streamed",
                          "one that runs inside it, or for which the body waits"});
  return violations;
}

std::vector<Violation> check_step(const Model& model, const Schedule& schedule, const Cut& cut,
                                  const DeriveOptions& options) {
  const bool streams = formula_suffices(schedule) && !joins_replicas(options) && input_is_free(options) &&
                       options.modules.empty();
  return check_up_to(streams ? most_streamed(schedule) : kLargestOrder, model, schedule, cut, options);
}

}  // namespace spillway
