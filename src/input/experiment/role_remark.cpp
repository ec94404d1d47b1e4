#include "input/experiment/role_remark.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"

namespace spillway {
namespace {

// Of the first transposed region that feeds a pipelined one; empty where there is none, or where the cut was
// refused.
LayerRange transposed_layers(const ScheduleSpec& schedule, const Model& model) {
  if (!check_cut(schedule.cut, model, schedule.schedule.skeletons.size()).empty()) return {0, 0};
  const NormalForm normal = normal_form(schedule.schedule, schedule.cut);
  const auto& skeletons = normal.schedule.skeletons;
  for (std::size_t region = 0; region + 1 < skeletons.size(); ++region)
    if (layout_of(skeletons[region]) == Layout::Replicated)
      return regions_of(model, normal.cut)[region].layers;
  return {0, 0};
}

}  // namespace

std::optional<Warning> role_remark(const Experiment& experiment) {
  const Model& model = experiment.model;
  std::set<std::size_t> blocks;
  std::vector<std::string> schedules;
  for (const ScheduleSpec& schedule : experiment.schedules) {
    const LayerRange layers = transposed_layers(schedule, model);
    const auto is_no_encoder = [&](std::size_t block) {
      return model.part_of(block, layers).size() > 0 && model.blocks()[block].role != Role::Encoder;
    };
    bool any = false;
    for (std::size_t block = 0; block < model.blocks().size(); ++block) {
      if (!is_no_encoder(block)) continue;
      blocks.insert(block);
      any = true;
    }
    if (any) schedules.push_back(schedule.name);
  }
  if (blocks.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const std::size_t block : blocks) names.push_back(model.blocks()[block].name);
  return Warning{
      "transposed-is-no-encoder",
      "transposed regions count as encoder work (E_r, spill, exposed encoder), whatever their role: " +
          joined(names) + " in " + joined(schedules)};
}

}  // namespace spillway
