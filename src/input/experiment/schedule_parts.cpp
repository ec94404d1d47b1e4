#include "input/experiment/schedule_parts.h"

#include <algorithm>
#include <utility>

#include "base/append.h"
#include "derive/order_stream.h"
#include "draws/schedule_facts.h"
#include "experiment/derive_options.h"
#include "experiment/modules.h"

namespace spillway {
namespace {

// Reports violations of a schedule's text at the key that has it.
void report_text(std::vector<Violation> violations, const Place& place) {
  constexpr std::string_view key = "/schedule";
  for (Violation& violation : violations) {
    ensure(violation.pointer.starts_with(key), "a schedule's text is at fault");
    violation.pointer = place.pointer + violation.pointer.substr(key.size());
    violation.file = place.findings->file();
  }
  place.findings->add(std::move(violations));
}

// Returns the pointer for a violation of something that a system or a default laid out: the key that
// determines it. A missing key is reported at its own place.
std::string as_written(const Violation& violation, const Place& schedule) {
  const std::string& pointer = violation.pointer;
  const auto& members = std::get<Object>(schedule.node->value);
  const auto stands = [&](std::string_view key) { return find(members, key) != nullptr; };
  const std::string key = pointer.substr(1, pointer.find('/', 1) - 1);
  if (stands(key) || violation.found == "nothing") return pointer;
  if (!stands("system")) return "/schedule";
  return stands("body") ? "/body" : stands("chunks") ? "/chunks" : "/system";
}

// The most ranks, replicas and members: more than any cluster has, and few enough to multiply.
constexpr std::uint32_t kMostModuleSize = 1U << 20;

// A module as written, with its blocks by name.
struct WrittenModule {
  std::vector<std::string> blocks;
  std::uint32_t ranks;
  std::optional<std::uint32_t> replicas, tensor, context;
};

std::optional<WrittenModule> read_module(const Place& place, bool analytic) {
  const Fields fields(place, {"blocks", "ranks", "replicas", "tensor", "context"});
  const auto count = [](const Place& p) { return read_count(p, 1, kMostModuleSize); };
  for (const char* key : {"tensor", "context"})
    if (!analytic) fields.forbid(key, "no such key, since blocks have profiles and a rank is one device");
  auto blocks = fields.need("blocks", [](const Place& p) { return read_each(p, read_text); });
  const auto ranks = fields.need("ranks", count);
  const auto replicas = fields.get("replicas", count), tensor = fields.get("tensor", count),
             context = fields.get("context", count);
  const bool wrong = (fields.at("replicas") && !replicas) || (fields.at("tensor") && !tensor) ||
                     (fields.at("context") && !context);
  if (!blocks || !ranks || wrong) return std::nullopt;
  return WrittenModule{*std::move(blocks), *ranks, replicas, tensor, context};
}

std::string block_names(const Model& model) {
  std::string names;
  for (const Block& block : model.blocks()) names += (names.empty() ? "" : ", ") + block.name;
  return names;
}

// Requires every block in exactly one module, in the model's order.
bool are_all_blocks(const std::vector<WrittenModule>& modules, const Model& model, const Place& place) {
  std::vector<std::string> named, blocks;
  for (const WrittenModule& module : modules)
    named.insert(named.end(), module.blocks.begin(), module.blocks.end());
  for (const Block& block : model.blocks()) blocks.push_back(block.name);
  const bool empty = std::any_of(modules.begin(), modules.end(),
                                 [](const WrittenModule& module) { return module.blocks.empty(); });
  if (named == blocks && !empty) return true;
  std::string found;
  for (const std::string& name : named) found += (found.empty() ? "" : ", ") + name;
  place.findings->add(
      place.pointer,
      "modules that name every block once, in their order from the input: " + block_names(model),
      found.empty() ? "none" : found);
  return false;
}

PlacedModule laid_out(const WrittenModule& module, std::uint32_t first, std::uint32_t end,
                      const ScheduleSurroundings& around) {
  const Parallelism job = parallelism_of(*around.costs);
  return {{first, end},
          module.ranks,
          module.replicas.value_or(around.options.pipeline.replicas),
          module.tensor.value_or(job.tensor),
          module.context.value_or(job.context)};
}

}  // namespace

std::optional<Schedule> read_schedule_text(const Place& place) {
  const std::optional<std::string> text = read_text(place);
  if (!text) return std::nullopt;
  auto parsed = parse_schedule(*text);
  if (auto* violations = std::get_if<std::vector<Violation>>(&parsed)) {
    report_text(std::move(*violations), place);
    return std::nullopt;
  }
  Schedule schedule = std::get<Schedule>(std::move(parsed));
  std::vector<Violation> violations = check_schedule(schedule);
  const bool fine = violations.empty();
  report_text(std::move(violations), place);
  return fine ? std::optional(std::move(schedule)) : std::nullopt;
}

std::optional<bool> read_owner_from_draw(const Place& place) {
  const auto index = read_word(place, {"expected", "draw"});
  return index ? std::optional(*index == 1) : std::nullopt;
}

std::optional<Seconds> read_planning(const Fields& fields) {
  const auto stated = fields.get("planning_ms", [](const Place& p) { return read_number(p, kNotNegative); });
  if (fields.at("planning_ms") && !stated) return std::nullopt;
  return milliseconds(stated.value_or(0));
}

void report_of_schedule(std::vector<Violation> violations, const Place& schedule) {
  for (Violation& violation : violations) {
    if (!violation.pointer.starts_with("/pipeline")) {
      violation.pointer = schedule.pointer + as_written(violation, schedule);
    } else if (schedule.findings->has(violation)) {
      continue;
    }
    schedule.findings->add(std::vector{violation});
  }
}

void finish(ScheduleSpec& spec, const Pipeline& job) {
  spec.owner_from_draw = spec.owner_from_draw && spec.looks_at_sizes();
  if (auto groups = describe_groups(spec, job)) spec.assumptions.push_back(*std::move(groups));
}

void report_step(const ScheduleSpec& spec, const ScheduleSurroundings& around, const Place& schedule) {
  const DeriveOptions options = derive_options(around.options, spec);
  std::vector<Violation> violations = check_step(around.model, spec.schedule, spec.cut, options);
  if (violations.empty() && spec.encodes)
    append(violations, check_encodes(around.model, spec.schedule, spec.cut, options));
  if (const AnalyticCosts* priced = on_platform(*around.costs))
    append(violations, check_needs(*priced, spec.schedule));
  report_of_schedule(std::move(violations), schedule);
}

std::optional<std::vector<PlacedModule>> read_modules(const Fields& schedule,
                                                      const std::optional<ScheduleSurroundings>& around) {
  const std::optional<Place> place = schedule.at("modules");
  if (!place) return std::vector<PlacedModule>{};
  const bool analytic = !around || on_platform(*around->costs);
  const auto written = read_each(*place, [&](const Place& p) { return read_module(p, analytic); });
  if (!written || !around || !are_all_blocks(*written, around->model, *place)) return std::nullopt;
  std::vector<PlacedModule> modules;
  std::size_t block = 0;
  for (const WrittenModule& module : *written) {
    const std::uint32_t first = around->model.layers_of(block).first;
    block += module.blocks.size();
    modules.push_back(laid_out(module, first, around->model.layers_of(block - 1).end, *around));
  }
  auto violations = check_modules(modules, around->options.pipeline, *around->costs, around->model);
  if (violations.empty()) return modules;
  for (Violation& found : violations)
    found.pointer = place->pointer + found.pointer.substr(std::string_view("/modules").size());
  place->findings->add(located(std::move(violations), place->findings->file(), ""));
  return std::nullopt;
}

std::optional<Cut> cut_between(const std::vector<PlacedModule>& modules, const Schedule& schedule) {
  if (modules.empty() || modules.size() != schedule.skeletons.size()) return std::nullopt;
  Cut cut;
  for (const PlacedModule& module : modules) cut.boundaries.push_back(module.layers.end);
  cut.boundaries.pop_back();
  return cut;
}

}  // namespace spillway
