#include "input/experiment/order_file.h"

#include <filesystem>
#include <numeric>
#include <utility>

#include "base/findings.h"
#include "experiment/derive_options.h"
#include "json/text_file.h"
#include "schedule/stated_layers.h"

namespace spillway {
namespace {

std::uint64_t sum(const std::vector<std::uint32_t>& layers) {
  return std::accumulate(layers.begin(), layers.end(), std::uint64_t{0});
}

std::string counted_layers(std::uint64_t layers) {
  return std::to_string(layers) + (layers == 1 ? " layer" : " layers");
}

bool holds_part_of(const Model& model, const std::vector<std::uint32_t>& layers) {
  return !layers.empty() && sum(layers) != model.layer_count();
}

}  // namespace

OrderText read_order_file(const std::string& path, const Pipeline& pipeline, const Files& files) {
  Findings findings(path);
  const std::optional<std::string> text = read_file(path, findings, files);
  findings.throw_if_any();
  try {
    return parse_order(*text, pipeline);
  } catch (const InputError& error) {
    throw InputError(located(error.violations(), path, ""));
  }
}

OrderText parse_order(const std::string& text, const Pipeline& pipeline) {
  Findings findings("");
  auto apart = without_stated_layers(text);
  if (auto* violations = std::get_if<std::vector<Violation>>(&apart)) throw InputError(*violations);
  auto& [text_without_layers, layers] = std::get<ListText>(apart);
  auto split = without_encodes(text_without_layers, pipeline);
  if (auto* violations = std::get_if<std::vector<Violation>>(&split)) throw InputError(*violations);
  auto& [actions, encodes] = std::get<EncodesApart>(split);
  auto parsed = parse_action_lists(actions);
  if (auto* violations = std::get_if<std::vector<Violation>>(&parsed)) throw InputError(*violations);
  const auto& lists = std::get<ActionLists>(parsed);
  findings.add(check_action_lists(lists, pipeline.ranks, pipeline.microbatches));
  findings.throw_if_any();
  const bool states = !encodes.owners.empty();
  return {placed_orders(lists), std::move(layers), states ? std::optional(std::move(encodes)) : std::nullopt};
}

ScheduleSpec listed_schedule(const Experiment& experiment, const std::string& path) {
  OrderText order = read_order_file(path, experiment.pipeline);
  ScheduleSpec spec{std::filesystem::path(path).stem().string(),
                    Schedule{{listed_skeleton(std::move(order.orders))}}, Cut{}};
  spec.layers_per_rank = std::move(order.layers);
  spec.encodes = std::move(order.encodes);
  Findings findings(path);
  if (holds_part_of(experiment.model, spec.layers_per_rank))
    findings.add(
        "/",
        "stages that hold the whole model of " + counted_layers(experiment.model.layer_count()) +
            " together (for stages after a transposed region, use order_file with \"transpose,listed\")",
        counted_layers(sum(spec.layers_per_rank)));
  else
    findings.add(check_derive(experiment, spec));
  findings.throw_if_any();
  return spec;
}

}  // namespace spillway
