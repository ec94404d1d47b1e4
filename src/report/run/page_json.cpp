#include "report/run/page_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "cost/unknowns.h"
#include "json/dumped.h"
#include "memory/peak_memory.h"
#include "report/page/column.h"
#include "report/run/drawn_timeline.h"
#include "report/step/bubble_causes.h"
#include "report/step/drawn_figures.h"
#include "report/step/picture.h"
#include "report/step/report_document.h"
#include "report/step/verdict.h"

namespace spillway {
namespace {

using Json = nlohmann::ordered_json;

// Returns the idle times of the shown ranks of replica 0, by cause.
Json bubbles_json(const ScheduleResult& schedule, const PageScale& scale) {
  Json by_cause;
  for (const auto& [name, time] : kBubbleCauses) {
    Json& seconds = by_cause[name] = Json::array();
    for (RankId rank : scale.ranks) seconds.push_back((schedule.first.bubble[rank.index()].*time).value());
  }
  return by_cause;
}

// Returns the largest memory in each slice, in 65535ths of the largest of all ranks. Null if memory was not
// computed.
Json memory_json(const ScheduleResult& schedule, const PageScale& scale) {
  if (schedule.first.memory.empty()) return nullptr;
  Bytes most;
  for (const auto& levels : schedule.first.memory) most = std::max(most, most_of(levels));
  std::vector<std::uint32_t> held;
  for (RankId rank : scale.ranks)
    for (Bytes bytes :
         most_by_slice(schedule.first.memory[rank.index()], schedule.first.timeline.makespan(), kPageSlices))
      held.push_back(most == Bytes() ? 0 : static_cast<std::uint32_t>(bytes / most * 65535 + 0.5));
  return {{"most_bytes", most.value()}, {"slices", kPageSlices}, {"held", column(held)}};
}

Json drawn_schedule(const Evaluation& evaluation, const ScheduleResult& schedule, const PageScale& scale) {
  Json drawn = drawn_timeline(schedule, scale, kPageEvents / evaluation.schedules.size());
  drawn["makespans_s"] = *drawn_figure("makespan_s", evaluation, schedule);
  drawn["bubble_s"] = bubbles_json(schedule, scale);
  drawn["memory"] = memory_json(schedule, scale);
  return drawn;
}

bool is_shown(const Json& rank, const PageScale& scale) {
  return rank["replica"] == 0 && std::binary_search(scale.ranks.begin(), scale.ranks.end(),
                                                    RankId(rank["rank"].get<std::uint32_t>()));
}

// Removes the ranks that are not shown, and the program's own run time, which differs from run to run.
void keep_shown(Json& schedule, const PageScale& scale) {
  schedule.erase("simulation");
  Json shown = Json::array();
  for (Json& rank : schedule["ranks"])
    if (is_shown(rank, scale)) shown.push_back(std::move(rank));
  schedule["ranks"] = std::move(shown);
}

PageScale scale_of(const Evaluation& evaluation, const std::optional<TracedStep>& measured) {
  PageScale scale{{}, shown_ranks(evaluation.schedules.front().derived->order.rank_count(), kPageRanks)};
  if (measured) scale.span = measured->timeline.makespan();
  for (const ScheduleResult& schedule : evaluation.schedules)
    scale.span = std::max(scale.span, schedule.first.timeline.makespan());
  return scale;
}

// Returns whether the rows of the step are those of the simulated schedules.
bool is_alike(const TracedStep& measured, const Evaluation& evaluation) {
  return measured.derived->order.rank_count() == evaluation.schedules.front().derived->order.rank_count();
}

Json measured_json(const TracedStep& measured, const PageScale& scale) {
  ScheduleResult result{.name = "measured", .derived = measured.derived};
  result.first.timeline = measured.timeline;
  Json drawn = drawn_timeline(result, scale, kPageEvents / 2);
  drawn["name"] = measured.name;
  return drawn;
}

Json report_of_shown(const Evaluation& evaluation, const PageScale& scale) {
  Json report = report_document(evaluation);
  for (Json& schedule : report["schedules"]) keep_shown(schedule, scale);
  return report;
}

// Returns the words for what an interval rests on, by name.
Json unknowns_json() {
  Json words;
  for (const UnknownWord& word : kUnknownWords) words[word.key] = word.name;
  return words;
}

Json document_or_null(const std::string& text) {
  return text.empty() ? Json() : undumped(text);
}

}  // namespace

std::string page_json(const Evaluation& evaluation, const BesideReport& beside) {
  const std::optional<TracedStep> measured =
      beside.measured && is_alike(*beside.measured, evaluation) ? beside.measured : std::nullopt;
  const PageScale scale = scale_of(evaluation, measured);
  Json schedules = Json::array();
  for (const ScheduleResult& schedule : evaluation.schedules)
    schedules.push_back(drawn_schedule(evaluation, schedule, scale));
  return dumped(Json{{"kind", "run"},
                     {"verdict", beside.verdict.empty() ? verdict(evaluation) : beside.verdict},
                     {"span_s", scale.span.value()},
                     {"ranks", ranks_json(scale)},
                     {"activities", activities_json()},
                     {"causes", causes_json()},
                     {"unknowns", unknowns_json()},
                     {"schedules", std::move(schedules)},
                     {"measured", measured ? measured_json(*measured, scale) : Json()},
                     {"explanation", document_or_null(beside.explanation)},
                     {"synthesis", document_or_null(beside.synthesis)},
                     {"twin", document_or_null(beside.twin)},
                     {"report", report_of_shown(evaluation, scale)}});
}

}  // namespace spillway
