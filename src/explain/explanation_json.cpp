#include <nlohmann/json.hpp>

#include "base/version.h"
#include "evaluate/steps.h"
#include "explain/explanation.h"
#include "explain/gap_json.h"
#include "explain/step_end_account.h"
#include "json/dumped.h"
#include "report/step/bubble_causes.h"
#include "report/step/json.h"

namespace spillway {
namespace {

using ExplanationJson = nlohmann::ordered_json;

// Returns the time on the critical path by kind of event. The kinds add up to the makespan.
ExplanationJson kinds_json(const CriticalPathShares& shares) {
  return {{"transposed_forward", shares.transposed_forward.value()},
          {"transposed_backward", shares.transposed_backward.value()},
          {"forward", shares.forward.value()},
          {"backward", shares.backward.value()},
          {"overlapped", shares.overlapped.value()},
          {"transfers", shares.transfers.value()},
          {"reductions", shares.reductions.value()},
          {"planning", shares.planning.value()}};
}

// Returns the rank's computing and its idle time by cause. They add up to the makespan.
ExplanationJson rank_json(const BubbleCauses& causes, Seconds makespan) {
  ExplanationJson rank{{"computing", (makespan - causes.total()).value()}};
  for (const auto& [name, time] : kBubbleCauses) rank[name] = (causes.*time).value();
  return rank;
}

ExplanationJson tried_json(const TriedChange& tried) {
  const bool can_be = tried.refusal.empty();
  const auto known = [&](const auto& value) { return can_be ? ExplanationJson(value) : ExplanationJson(); };
  return {{"change", tried.change.words},
          {"pointer", tried.change.settings.front().pointer},
          {"set", settings_json(tried.change.settings)},
          {"makespan_s", known(tried.makespan.value())},
          {"gain", known(tried.gain)},
          {"devices", known(tried.devices)},
          {"fits", tried.fits ? ExplanationJson(*tried.fits) : ExplanationJson()},
          {"refusal", can_be ? ExplanationJson() : ExplanationJson(tried.refusal)}};
}

// Returns the parts from the last pass to the end of the step, which sum to `whole`, and what hides beside
// passes; null if no framework states how a step ends.
ExplanationJson step_end_json(const ScheduleResult& schedule) {
  if (!schedule.draws.front().step_end) return {};
  const StepEndAccount account = step_end_account(schedule);
  ExplanationJson json{{"rank", account.parts.rank.index()},
                       {"whole", account.whole.value()},
                       {"reduced", account.reducing.value()}};
  for (const StepEndPart& part : kStepEndParts) json[part.key] = (account.parts.*part.time).value();
  json["hidden_reduced"] = account.parts.hidden_reduced.value();
  json["reductions"] = account.parts.reduced.value();
  json["hidden_return"] = account.parts.hidden_return.value();
  return json;
}

ExplanationJson schedule_json(const ExplainedSchedule& explained) {
  const ScheduleResult& schedule = *explained.schedule;
  const Seconds makespan = schedule.first.timeline.makespan();
  const InsidePass& inside = schedule.draws.front().critical_path.inside;
  ExplanationJson ranks = ExplanationJson::array(), would_help = ExplanationJson::array();
  for (const BubbleCauses& waits : explained_bubbles(schedule)) ranks.push_back(rank_json(waits, makespan));
  for (const TriedChange& tried : explained.would_help) would_help.push_back(tried_json(tried));
  ExplanationJson json = {
      {"name", schedule.name},
      {"ranked", schedule.unranked.empty()},
      {"unranked_reason", schedule.unranked.empty() ? ExplanationJson() : ExplanationJson(schedule.unranked)},
      {"makespan_s", makespan.value()},
      {"mean_makespan_s", mean_makespan(schedule).value()},
      {"lower_bound_s", schedule.draws.front().bound->step.value()},
      {"replica", busiest_rank(schedule).replica.index()},
      {"critical_path", kinds_json(schedule.draws.front().critical_path)},
      {"inside_passes",
       {{"collectives", inside.collectives.value()}, {"recomputed", inside.recomputed.value()}}},
      {"step_end", step_end_json(schedule)},
      {"ranks", std::move(ranks)},
      {"would_help", std::move(would_help)}};
  if (explained.gap) json["gap"] = gap_json(*explained.gap);
  return json;
}

}  // namespace

std::string explanation_json(const Explanation& explanation) {
  const Evaluation& evaluation = explanation.evaluation;
  ExplanationJson schedules = ExplanationJson::array(), warnings = ExplanationJson::array();
  for (const ExplainedSchedule& one : explanation.schedules) schedules.push_back(schedule_json(one));
  for (const Warning& warning : evaluation.warnings)
    warnings.push_back({{"code", warning.code}, {"text", warning.text}});
  return dumped(ExplanationJson{{"schema", "spillway/explanation/1"},
                                {"program", program_version()},
                                {"experiment", evaluation.experiment},
                                {"assumptions", evaluation.assumptions},
                                {"warnings", std::move(warnings)},
                                {"schedules", std::move(schedules)}}) +
         '\n';
}

}  // namespace spillway
