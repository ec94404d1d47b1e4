#include "input/experiment/schedule_parts.h"

#include <utility>

#include "derive/order_stream.h"
#include "draws/schedule_facts.h"
#include "experiment/derive_options.h"

namespace spillway {
namespace {

// Violations of a schedule's text, at the key that has it.
void report_text(std::vector<Violation> violations, const Place& place) {
  constexpr std::string_view key = "/schedule";
  for (Violation& violation : violations) {
    ensure(violation.pointer.starts_with(key), "a schedule's text is at fault");
    violation.pointer = place.pointer + violation.pointer.substr(key.size());
    violation.file = place.findings->file();
  }
  place.findings->add(std::move(violations));
}

// What the user did not write, because a system or a default lays it out: the key from which it follows. What
// is missing stands where it ought to be.
std::string as_written(const Violation& violation, const Place& schedule) {
  const std::string& pointer = violation.pointer;
  const auto& members = std::get<Object>(schedule.node->value);
  const auto stands = [&](std::string_view key) { return find(members, key) != nullptr; };
  const std::string key = pointer.substr(1, pointer.find('/', 1) - 1);
  if (stands(key) || violation.found == "nothing") return pointer;
  if (!stands("system")) return "/schedule";
  return stands("body") ? "/body" : stands("chunks") ? "/chunks" : "/system";
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
  report_of_schedule(check_step(around.model, spec.schedule, spec.cut, derive_options(around.options, spec)),
                     schedule);
}

}  // namespace spillway
