#include "derive/derive.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "derive/assemble.h"
#include "derive/kept_body.h"
#include "derive/module_runs.h"
#include "derive/stages.h"

namespace spillway {
namespace {

// True between modules whose devices or pipelines do not match one to one: tokens are gathered from one and
// scattered over the other.
bool is_resharded(const std::vector<Region>& regions, std::size_t region,
                  std::span<const PlacedModule> modules) {
  if (modules.empty()) return false;
  const PlacedModule& from = modules[module_of_layer(modules, regions[region].layers.first)];
  const PlacedModule& to = modules[module_of_layer(modules, regions[region + 1].layers.first)];
  return from.replicas != to.replicas || from.tensor != to.tensor || from.context != to.context;
}

std::vector<Seam> seams_of(const Schedule& schedule, const std::vector<Region>& regions,
                           const std::vector<BackwardFootprint>& footprints,
                           std::span<const PlacedModule> modules) {
  const auto inputs = static_cast<std::uint32_t>(input_count(schedule));
  std::vector<Seam> seams;
  for (std::uint32_t region = 0; region + 1 < schedule.skeletons.size(); ++region) {
    const std::uint32_t next = std::max(region + 1, inputs);
    SeamComms comms = seam_comms(layout_of(schedule.skeletons[region]), layout_of(schedule.skeletons[next]));
    if (is_resharded(regions, region, modules)) comms = {Comm::Gather, Comm::Scatter};
    Seam seam{RegionId(region), RegionId(next), comms.forward, std::nullopt};
    if (footprints[region].receives) seam.backward = comms.backward;
    seams.push_back(seam);
  }
  return seams;
}

std::optional<RankId> sole_trainer(const RegionPlacement& placement) {
  const auto* owned = std::get_if<ByMicrobatch>(&placement.owner);
  if (!owned || owned->backward.empty()) return std::nullopt;
  const RankId first = owned->backward.front();
  const bool sole = std::ranges::all_of(owned->backward, [&](RankId rank) { return rank == first; });
  return sole ? std::optional(first) : std::nullopt;
}

std::vector<Reduce> reduces_of(const Schedule& schedule, const std::vector<BackwardFootprint>& footprints,
                               const std::vector<RegionPlacement>& placement, bool in_modules) {
  std::vector<Reduce> reduces;
  for (std::uint32_t region = 0; region < schedule.skeletons.size(); ++region) {
    if (!footprints[region].reduces) continue;
    const bool on_every_rank =
        placement[region].layout == Layout::Replicated && !sole_trainer(placement[region]);
    reduces.push_back({RegionId(region), on_every_rank ? Group::ReplicaGroup
                                         : in_modules  ? Group::CopyGroup
                                                       : Group::DataGroup});
  }
  return reduces;
}

std::string describe(const Cycle& cycle, const Outline& outline) {
  std::string text;
  for (const Event& event : cycle.events) text += event_name(event, outline) + " -> ";
  return text + event_name(cycle.events.front(), outline);
}

// The pipelined runs with their orders, if these follow from the skeletons alone. If transposed regions lie
// between runs, an inner order may keep all pipelined regions as one run with its order; else the bodies have
// no orders.
std::vector<Body> bodies_of(const Schedule& schedule, const std::vector<Region>& regions,
                            const std::vector<Stage>& stages, const DeriveOptions& options) {
  if (!options.modules.empty()) return module_bodies(schedule, regions, options);
  if (!formula_suffices(schedule) && options.inner != InnerOrder::Listed)
    return {kept_body(schedule, stages, options)};
  std::vector<Body> bodies;
  for (const ShardedRun& run : sharded_runs(schedule)) {
    Body body{run.skeleton, std::vector<std::size_t>(run.end - run.first), {}};
    std::iota(body.regions.begin(), body.regions.end(), run.first);
    if (formula_suffices(schedule)) body.orders = rank_orders(run.skeleton, run_shape(run, stages, options));
    bodies.push_back(std::move(body));
  }
  return bodies;
}

std::variant<Order, Cycle> order_of(const Outline& outline, const DeriveOptions& options) {
  const std::vector<BackwardFootprint> footprints = backward_footprints(outline.regions, outline.inputs());
  const Paths paths(outline.stages, outline.placement, options.pipeline.microbatches);
  const std::vector<Body> bodies = bodies_of(outline.schedule, outline.regions, outline.stages, options);
  return assemble_order({outline.model, outline.schedule, footprints, outline.stages, outline.placement,
                         outline.collectives, options, paths, bodies});
}

bool joins_replicas_evenly(const Model& model, const DeriveOptions& options) {
  const auto& joined = options.joined_replicas;
  return (joined.empty() || joined.size() == model.blocks().size()) &&
         std::all_of(joined.begin(), joined.end(),
                     [&](std::uint32_t n) { return n > 0 && options.pipeline.replicas % n == 0; });
}

}  // namespace

std::optional<RankId> Outline::copy_of(const Stage& stage) const {
  if (fold_of(schedule.skeletons[stage.region.index()]) != Fold::Bidirectional) return std::nullopt;
  return RankId(pipeline.ranks - 1 - stage.rank.index());
}

std::vector<StageId> Outline::input_stages(RankId rank) const {
  std::vector<StageId> own;
  for (std::uint32_t id = 0; id < stages.size() && is_input(StageId(id)); ++id)
    if (stages[id].rank == rank) own.emplace_back(id);
  return own;
}

std::optional<RankId> Outline::trained_on(RegionId region) const {
  return sole_trainer(placement[region.index()]);
}

// It decides by ranks alone, because callers also ask about microbatches as sampled, whose owners are those
// of their places.
bool Outline::sends_input(const Event& transfer) const {
  if (transfer.comm != Comm::Gather || !is_input(transfer.stage)) return false;
  return region_of(transfer.stage).trainable &&
         trained_on(stage(transfer.stage).region).value_or(transfer.rank) != transfer.rank;
}

SeamComms seam_comms(Layout upstream, Layout downstream) {
  if (upstream == Layout::Replicated) {
    ensure(downstream == Layout::Sharded, "adjacent replicated regions are one region in normal form");
    return {Comm::Gather, Comm::Scatter};
  }
  if (downstream == Layout::Replicated) return {Comm::Scatter, Comm::Gather};
  return {Comm::Send, Comm::RecvGrad};
}

Outline derive_outline(const Model& model, const Schedule& schedule, const Cut& cut,
                       const DeriveOptions& options) {
  ensure(joins_replicas_evenly(model, options),
         "joined replicas: one number per block that divides the replicas");
  NormalForm normal = normal_form(model, schedule, cut);
  std::vector<Region> regions = regions_of(model, normal.cut);
  const std::vector<BackwardFootprint> footprints =
      backward_footprints(regions, input_count(normal.schedule));
  std::vector<Stage> stages = place_stages(regions, normal.schedule, options);
  std::vector<OwnerMap> owners = owner_maps(normal.schedule, stages, options);
  std::vector<RegionPlacement> placement = place_regions(normal.schedule, stages, owners, options);
  Collectives collectives{seams_of(normal.schedule, regions, footprints, options.modules),
                          reduces_of(normal.schedule, footprints, placement, !options.modules.empty())};
  return Outline{model,
                 std::move(normal.schedule),
                 std::move(normal.cut),
                 std::move(normal.reductions),
                 options.pipeline,
                 options.point_to_point,
                 std::move(regions),
                 std::move(stages),
                 std::move(placement),
                 std::move(collectives),
                 options.input,
                 options.hidden,
                 options.regrouping,
                 options.modules};
}

Derived derive(const Model& model, const Schedule& schedule, const Cut& cut, const DeriveOptions& options) {
  ensure(check_derive(model, schedule, cut, options).empty(), "derive takes what check_derive accepts");
  Outline outline = derive_outline(model, schedule, cut, options);
  auto built = order_of(outline, options);
  if (const auto* cycle = std::get_if<Cycle>(&built))
    throw ContractBreach("the derived order waits for itself: " + describe(*cycle, outline));
  return {std::move(outline), std::get<Order>(std::move(built))};
}

std::optional<std::string> circle_of(const Model& model, const Schedule& schedule, const Cut& cut,
                                     const DeriveOptions& options) {
  const Outline outline = derive_outline(model, schedule, cut, options);
  const auto built = order_of(outline, options);
  const auto* cycle = std::get_if<Cycle>(&built);
  return cycle ? std::optional(describe(*cycle, outline)) : std::nullopt;
}

}  // namespace spillway
