#include "input/experiment/schedule_reader.h"

#include <algorithm>

#include "experiment/modules.h"
#include "input/experiment/blocks.h"
#include "input/experiment/order_file.h"
#include "input/experiment/schedule_parts.h"
#include "input/experiment/system_reader.h"
#include "json/named_file.h"
#include "model/model.h"

namespace spillway {
namespace {

auto read_counts(std::uint32_t least) {
  return [least](const Place& place) {
    return read_each(place, [least](const Place& p) { return read_count(p, least); });
  };
}

// Returns the boundaries that `regions` regions need, stated or default.
std::optional<Cut> boundaries_of(const Place& place, const Fields& fields, std::size_t regions,
                                 const Model& model) {
  if (fields.at("cut")) {
    auto boundaries = fields.get("cut", read_counts(0));
    return boundaries ? std::optional(Cut{*std::move(boundaries)}) : std::nullopt;
  }
  std::optional<Cut> cut = default_cut(model, regions);
  if (!cut) {
    place.findings->add(child(place.pointer, "cut"),
                        std::to_string(regions - 1) + " layer boundaries, since " + std::to_string(regions) +
                            " regions cannot be cut by default from " +
                            std::to_string(model.blocks().size()) + " blocks",
                        "nothing");
  }
  return cut;
}

// For a joint split, boundaries between runs are stated, and those inside runs are planned.
std::optional<Cut> cut_of(const Place& place, const Fields& fields, const Schedule& schedule,
                          StageSplit split, const Model& model) {
  if (split != StageSplit::Joint) return boundaries_of(place, fields, schedule.skeletons.size(), model);
  const std::size_t pieces = piece_count(schedule);
  const std::optional<Cut> between = boundaries_of(place, fields, pieces, model);
  if (!between) return std::nullopt;
  std::vector<Violation> violations = check_cut(*between, model, pieces);
  if (violations.empty()) return cut_by_runs(model, schedule, between);
  report_of_schedule(std::move(violations), place);
  return std::nullopt;
}

// The optional keys of a schedule.
struct Chosen {
  OwnerPolicy owner = OwnerPolicy::Greedy;
  bool owner_from_draw = false;
  std::vector<std::uint32_t> layers_per_rank = {};
  std::uint32_t microbatch_group = 0;
  MicrobatchOrder order = MicrobatchOrder::AsSampled;
  StageSplit split = StageSplit::ByCount;
};

std::optional<Chosen> read_chosen(const Fields& fields) {
  const auto owner =
      fields.get("owner", [](const Place& p) { return read_choice<OwnerPolicy>(p, kOwnerPolicies); });
  const auto owner_from_draw = fields.get("owner_from", read_owner_from_draw);
  auto layers = fields.get("layers_per_rank", read_counts(1));
  const auto group = fields.get("microbatch_group", [](const Place& p) { return read_count(p); });
  const auto order =
      fields.get("order", [](const Place& p) { return read_choice<MicrobatchOrder>(p, kMicrobatchOrders); });
  const auto split =
      fields.get("split", [](const Place& p) { return read_choice<StageSplit>(p, kStageSplits); });
  if (fields.at("layers_per_rank"))
    fields.forbid("split", "no such key, since layers_per_rank states the split");
  const bool wrong = (fields.at("layers_per_rank") && !layers) || (fields.at("microbatch_group") && !group);
  if (wrong) return std::nullopt;
  return Chosen{owner.value_or(OwnerPolicy::Greedy),
                owner_from_draw.value_or(false),
                std::move(layers).value_or(std::vector<std::uint32_t>{}),
                group.value_or(0),
                order.value_or(MicrobatchOrder::AsSampled),
                split.value_or(StageSplit::ByCount)};
}

// A schedule, with the order of its listed region if it has one.
struct Complete {
  Schedule schedule;
  std::vector<std::uint32_t> layers = {};     // if the order states them
  std::optional<StatedEncodes> encodes = {};  // the same
};

// Reads the rows of an order inside the document.
std::optional<OrderText> read_actions(const Place& place, const Pipeline& pipeline) {
  const auto rows = read_each(place, [](const Place& p) -> std::optional<std::string> {
    if (const auto* row = std::get_if<std::string>(&p.node->value)) return *row;
    p.refuse("a text");
    return std::nullopt;
  });
  if (!rows) return std::nullopt;
  std::string text;
  for (const std::string& row : *rows) text += row + '\n';
  try {
    return parse_order(text, pipeline);
  } catch (const InputError& error) {
    place.findings->add(located(error.violations(), place.findings->file(), place.pointer));
    return std::nullopt;
  }
}

OrderText read_order(const std::string& path, std::uint32_t ranks, std::uint32_t microbatches,
                     const Files& files) {
  return read_order_file(path, {ranks, microbatches}, files);
}

std::optional<OrderText> read_orders(const Fields& fields, const Pipeline& pipeline) {
  if (fields.at("actions")) {
    fields.forbid("order_file", "no such key beside actions");
    return fields.get("actions", [&](const Place& p) { return read_actions(p, pipeline); });
  }
  return fields.need("order_file", [&](const Place& p) {
    return read_named_file(p, read_order, pipeline.ranks, pipeline.microbatches);
  });
}

// Returns nothing if there are violations.
std::optional<Complete> read_listed(const Place& place, const Fields& fields, Schedule schedule,
                                    const Pipeline& pipeline) {
  auto& skeletons = schedule.skeletons;
  const auto regions = std::count_if(skeletons.begin(), skeletons.end(), is_listed);
  if (regions == 0) {
    for (const char* key : {"order_file", "actions"})
      fields.forbid(key, "no such key, since no region is listed");
    return Complete{std::move(schedule)};
  }
  if (regions > 1)
    place.findings->add(child(place.pointer, "schedule"), "one listed region, whose order the file states",
                        std::to_string(regions));
  auto orders = read_orders(fields, pipeline);
  if (!orders || regions > 1) return std::nullopt;
  if (!orders->layers.empty())
    fields.forbid("layers_per_rank", "no such key, since the order states the layers of its stages");
  for (const char* key : {"owner", "owner_from"})
    if (orders->encodes) fields.forbid(key, "no such key, since the order states which rank encodes what");
  *std::find_if(skeletons.begin(), skeletons.end(), is_listed) = listed_skeleton(std::move(orders->orders));
  return Complete{std::move(schedule), std::move(orders->layers), std::move(orders->encodes)};
}

// An encoder gets dedicated ranks only if the model begins with one and each rank holds one stage.
void check_split(const Fields& fields, const ScheduleSpec& spec, const ScheduleSurroundings& around) {
  if (spec.split == StageSplit::ByCount) return;
  if (!spec.modules.empty() && spec.split != StageSplit::Balanced)
    return fields.at("split")->refuse("by-count or balanced, since modules have dedicated devices");
  const auto& skeletons = spec.schedule.skeletons;
  const auto refuse = [&](const char* expected) { fields.at("split")->refuse(expected); };
  if (std::any_of(skeletons.begin(), skeletons.end(), is_listed))
    return refuse("no such key, since the order of the listed region determines the number of stages");
  if (spec.split != StageSplit::Disaggregated) return;
  const std::uint32_t encoder = leading_encoder_layers(around.model);
  const std::size_t modules = module_layers(around.model).size();
  if (encoder == 0 || encoder == around.model.layer_count())
    return refuse("a model whose first blocks are an encoder, followed by at least one other block");
  if (skeletons.size() != 1 || fold_of(skeletons.front()) != Fold::Straight)
    return refuse("one region with one stage per rank, such as 1f1b, since the encoder has dedicated ranks");
  if (around.options.pipeline.ranks < modules)
    refuse(modules == 2 ? "a pipeline of at least 2 ranks, one for the encoder"
                        : "a pipeline of at least 3 ranks, one for each module");
}

std::optional<ScheduleSpec> read_written(const Place& place,
                                         const std::optional<ScheduleSurroundings>& around) {
  const Fields fields(place,
                      {"name", "schedule", "cut", "owner", "owner_from", "layers_per_rank", "split",
                       "microbatch_group", "order", "order_file", "actions", "modules", "planning_ms"});
  const auto name = fields.need("name", [](const Place& p) { return read_text(p); });
  const auto schedule = fields.need("schedule", [](const Place& p) { return read_schedule_text(p); });
  const auto chosen = read_chosen(fields);
  const auto planning = read_planning(fields);
  auto modules = read_modules(fields, around);
  if (!around || !name || !schedule || !chosen || !planning || !modules) return std::nullopt;
  const auto between = fields.at("cut") ? std::nullopt : cut_between(*modules, *schedule);
  const auto cut = between ? between : cut_of(place, fields, *schedule, chosen->split, around->model);
  if (!cut) return std::nullopt;
  auto complete = read_listed(place, fields, *schedule, around->options.pipeline);
  if (!complete) return std::nullopt;
  ScheduleSpec spec{*name,
                    std::move(complete->schedule),
                    *cut,
                    chosen->owner,
                    chosen->owner_from_draw,
                    complete->layers.empty() ? chosen->layers_per_rank : std::move(complete->layers),
                    chosen->microbatch_group,
                    chosen->order,
                    chosen->split};
  spec.assumptions = describe(*modules, around->options.pipeline, around->model);
  spec.encodes = std::move(complete->encodes);
  spec.modules = *std::move(modules);
  spec.planning = *planning;
  finish(spec, around->options.pipeline);
  check_split(fields, spec, *around);
  report_step(spec, *around, place);
  return spec;
}

// Reads a schedule that a system lays out, or one that is written region by region.
std::optional<ScheduleSpec> read_schedule(const Place& place,
                                          const std::optional<ScheduleSurroundings>& around) {
  const auto* members = std::get_if<Object>(&place.node->value);
  return members && find(*members, "system") ? read_system(place, around) : read_written(place, around);
}

}  // namespace

std::optional<std::vector<ScheduleSpec>> read_schedules(const Place& place,
                                                        const std::optional<ScheduleSurroundings>& around) {
  const auto elements = read_list(place);
  if (!elements) return std::nullopt;
  if (elements->empty()) place.refuse("at least one schedule");
  refuse_equal_names(*elements);
  return read_each(place, [&](const Place& p) { return read_schedule(p, around); });
}

}  // namespace spillway
