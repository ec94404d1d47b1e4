#include "report/run/validation_page.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "json/dumped.h"
#include "report/inputs/trace_validation.h"
#include "report/run/drawn_timeline.h"
#include "report/step/picture.h"

namespace spillway {
namespace {

using Json = nlohmann::ordered_json;

ScheduleResult result_of(const char* name, const Validation& validation, const Timeline& timeline) {
  ScheduleResult result{.name = name, .derived = validation.first.derived};
  result.first.timeline = timeline;
  return result;
}

Json timelines_json(const Validation& validation) {
  const ScheduleResult both[] = {result_of("measured", validation, validation.first.measured),
                                 result_of("replayed", validation, validation.first.replayed)};
  const PageScale scale{std::max(both[0].first.timeline.makespan(), both[1].first.timeline.makespan()),
                        shown_ranks(validation.ranks, kPageRanks)};
  Json drawn = Json::array(), named = Json::array();
  for (const ScheduleResult& each : both) {
    drawn.push_back(drawn_timeline(each, scale, kPageEvents / std::size(both)));
    named.push_back({{"name", each.name}, {"schedule", "step " + validation.cases.front().step}});
  }
  return {{"span_s", scale.span.value()}, {"ranks", ranks_json(scale)}, {"activities", activities_json()},
          {"causes", causes_json()},      {"schedules", drawn},         {"report", {{"schedules", named}}}};
}

}  // namespace

std::string validation_page(const Validation& validation, const std::string& document,
                            const std::string& execution, const std::string& played) {
  const bool any = !validation.cases.empty();
  return dumped(Json{{"kind", "validation"},
                     {"verdict", played.empty() ? verdict(validation) : played},
                     {"execution", execution.empty() ? Json() : undumped(execution)},
                     {"document", undumped(document)},
                     {"timelines", any ? timelines_json(validation) : Json(nullptr)}});
}

}  // namespace spillway
