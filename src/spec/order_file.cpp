#include "spec/order_file.h"

#include <filesystem>

#include "spec/derive_options.h"
#include "spec/findings.h"
#include "spec/text_file.h"

namespace spillway {

PlacedOrders read_order_file(const std::string& path, const Pipeline& pipeline) {
  Findings findings(path);
  const std::optional<std::string> text = read_file(path, findings);
  findings.throw_if_any();
  try {
    return parse_order(*text, pipeline);
  } catch (const InputError& error) {
    throw InputError(located(error.violations(), path, ""));
  }
}

PlacedOrders parse_order(const std::string& text, const Pipeline& pipeline) {
  Findings findings("");
  auto parsed = parse_action_lists(text);
  if (auto* violations = std::get_if<std::vector<Violation>>(&parsed)) throw InputError(*violations);
  const auto& lists = std::get<ActionLists>(parsed);
  findings.add(check_action_lists(lists, pipeline.ranks, pipeline.microbatches));
  findings.throw_if_any();
  return placed_orders(lists);
}

ScheduleSpec listed_schedule(const Experiment& experiment, const std::string& path) {
  ScheduleSpec spec{std::filesystem::path(path).stem().string(), Schedule{{SkeletonKind::Listed}}, Cut{}};
  spec.listed = std::make_shared<const PlacedOrders>(read_order_file(path, experiment.pipeline));
  Findings findings(path);
  findings.add(check_derive(experiment.model, spec.schedule, spec.cut, derive_options(experiment, spec)));
  findings.throw_if_any();
  return spec;
}

}  // namespace spillway
