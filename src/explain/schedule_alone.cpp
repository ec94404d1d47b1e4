// The document is reduced to one schedule and read like any other. Then pointers are translated back to the
// user's document. explain_test tests this.
#include "explain/schedule_alone.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "input/experiment/experiment.h"
#include "json/document.h"
#include "json/dumped.h"
#include "json/json_text.h"
#include "json/place.h"
#include "json/settings.h"

namespace spillway {
namespace {

constexpr std::string_view kFirst = "/schedules/0";

Node terms_node(const Terms& terms) {
  return Node{Object{{"moves_samples", Node{terms.moves_samples}},
                     {"knows_draw", Node{terms.knows_draw}},
                     {"chunks", Node{std::uint64_t{terms.chunks}}}}};
}

void leave_alone(Node& document, const ScheduleAlone& which) {
  auto& members = std::get<Object>(document.value);
  List& schedules = std::get<List>(find(members, "schedules")->value);
  Node kept = std::move(schedules.at(which.index));
  schedules.clear();
  schedules.push_back(std::move(kept));
  std::erase_if(members, [](const Member& one) { return one.key == "baseline" || one.key == "fit"; });
  if (Node* asked = find(members, "equal_terms"); asked && which.terms) *asked = terms_node(*which.terms);
}

// Translates a pointer into the reduced document to one into the user's document.
std::string in_the_whole(const std::string& pointer, const ScheduleAlone& which) {
  if (!is_within(pointer, kFirst)) return pointer;
  return "/schedules/" + std::to_string(which.index) + pointer.substr(kFirst.size());
}

}  // namespace

Experiment parse_schedule_alone(std::string_view text, const std::string& file,
                                const std::vector<Setting>& settings, const ScheduleAlone& which,
                                const Files& files) {
  Findings settings_made(file);
  std::optional<Node> document = parse_json(text, settings_made);
  settings_made.throw_if_any();
  apply(settings, *document, settings_made);
  settings_made.throw_if_any();
  leave_alone(*document, which);
  Findings findings(file);
  std::optional<Experiment> experiment = read_experiment(Place{&*document, "", &findings, &files});
  if (!findings.empty()) {
    std::vector<Violation> violations = findings.listed();
    for (Violation& violation : violations)
      if (violation.file == file) violation.pointer = in_the_whole(violation.pointer, which);
    throw InputError(std::move(violations));
  }
  for (IdleKey& key : experiment->idle_keys) key.pointer = in_the_whole(key.pointer, which);
  return *std::move(experiment);
}

Experiment read_schedule_alone(const Source& source, const std::vector<Setting>& settings,
                               const ScheduleAlone& which, const Files& files) {
  return parse_schedule_alone(read_json_text(source), source.file, settings, which, files);
}

Setting as_a_schedule(const std::string& order_file) {
  const nlohmann::ordered_json entry = {{"name", std::filesystem::path(order_file).stem().string()},
                                        {"schedule", "listed"},
                                        {"order_file", order_file}};
  return {"/schedules/-", dumped(entry)};
}

}  // namespace spillway
