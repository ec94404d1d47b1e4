#include "systems/layouts.h"

#include <algorithm>

#include "model/model.h"

namespace spillway {
namespace {

ScheduleSpec with_options(Schedule schedule, Cut cut, const SystemOptions& options) {
  ScheduleSpec spec{{}, std::move(schedule), std::move(cut)};
  spec.microbatch_group = options.microbatch_group;
  return spec;
}

// Returns true if the pipelined regions end where blocks end.
bool takes_blocks(const SystemJob& job, std::uint32_t layers, const std::optional<Cut>& by_block,
                  const Schedule& schedule) {
  if (!by_block || by_block->boundaries.front() != layers) return false;
  const std::vector<Region> regions = regions_of(job.model, *by_block);
  for (std::size_t region = 1; region < regions.size(); ++region)
    if (regions[region].layers.size() < stage_count(schedule.skeletons[region], job.pipeline.ranks))
      return false;
  return true;
}

Cut cut_behind(const SystemJob& job, std::uint32_t layers, const Schedule& schedule) {
  const std::optional<Cut> by_block = default_cut(job.model, schedule.skeletons.size());
  if (takes_blocks(job, layers, by_block, schedule)) return *by_block;
  return *cut_by_runs(job.model, schedule, Cut{{layers}});
}

}  // namespace

bool has_encoder(const Model& model) {
  const std::uint32_t encoder = leading_encoder_layers(model);
  return encoder > 0 && encoder < model.layer_count();
}

std::vector<Violation> check_encoder(const Model& model) {
  if (has_encoder(model)) return {};
  const bool nothing_else = leading_encoder_layers(model) > 0;
  return {
      {"", "/system", "a model whose first blocks are an encoder, followed by at least one other block",
       nothing_else ? "only an encoder" : "a model that begins with block " + model.blocks().front().name}};
}

std::vector<Violation> check_body(const Schedule& body) {
  const auto has_no_place = [](const Skeleton& skeleton) {
    return layout_of(skeleton) != Layout::Sharded || is_listed(skeleton);
  };
  if (std::ranges::none_of(body.skeletons, has_no_place)) return {};
  return {{"", "/body", "pipelined regions only, without transpose and listed", to_string(body)}};
}

std::vector<Violation> check_interleaved(const Schedule& body) {
  if (std::ranges::all_of(body.skeletons, [](const Skeleton& one) { return one == SkeletonKind::OneFOneB; }))
    return {};
  return {{"", "/body", "1f1b, or interleaved 1F1B, such as 1f1b,1f1b", to_string(body)}};
}

ScheduleSpec transposed_layers(const SystemJob& job, std::uint32_t layers, const SystemOptions& options) {
  Schedule schedule{{SkeletonKind::Transpose}};
  schedule.skeletons.insert(schedule.skeletons.end(), options.body.skeletons.begin(),
                            options.body.skeletons.end());
  Cut cut = cut_behind(job, layers, schedule);
  return with_options(std::move(schedule), std::move(cut), options);
}

ScheduleSpec transposed_encoder(const SystemJob& job, const SystemOptions& options) {
  return transposed_layers(job, leading_encoder_layers(job.model), options);
}

ScheduleSpec modules_apart(const SystemOptions& options) {
  Schedule schedule = options.body;
  Cut cut;
  for (std::size_t module = 0; module + 1 < options.modules.size(); ++module) {
    schedule.skeletons.insert(schedule.skeletons.begin(), options.body.skeletons.front());
    cut.boundaries.push_back(options.modules[module].layers.end);
  }
  const LayerRange last = options.modules.back().layers;
  const auto regions = static_cast<std::uint32_t>(options.body.skeletons.size());
  for (std::uint32_t region = 1; region < regions; ++region)
    cut.boundaries.push_back(last.first + last.size() * region / regions);
  ScheduleSpec spec = with_options(std::move(schedule), std::move(cut), options);
  spec.split = regions > 1 ? StageSplit::Joint : StageSplit::Balanced;
  spec.modules = options.modules;
  return spec;
}

ScheduleSpec balanced_model(const Model& model, const SystemOptions& options) {
  ScheduleSpec spec = whole_model(model, options);
  spec.split = options.body.skeletons.size() > 1 ? StageSplit::Joint : StageSplit::Balanced;
  return spec;
}

ScheduleSpec whole_model(const Model& model, const SystemOptions& options) {
  return with_options(options.body, *cut_by_runs(model, options.body, Cut{}), options);
}

}  // namespace spillway
