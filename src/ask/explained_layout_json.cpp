#include "ask/explained_layout.h"
#include "base/version.h"
#include "json/document.h"
#include "json/dumped.h"
#include "json/word_of.h"
#include "search/answer/layout_json.h"
#include "search/plan_value.h"

namespace spillway {
namespace {

using ExplainedJson = nlohmann::ordered_json;

// With its cluster and its framework.
ExplainedJson placed_json(const PlanJob& job, const PlanLayout& layout) {
  const JobCluster& cluster = job.clusters[layout.cluster];
  ExplainedJson placed = {{"cluster", cluster.platform().name},
                          {"framework", text_or_null(cluster.framework)}};
  placed.update(layout_json(job, layout));
  return placed;
}

ExplainedJson rules_json(const std::vector<BrokenRule>& rules) {
  ExplainedJson all = ExplainedJson::array();
  for (const BrokenRule& rule : rules)
    all.push_back({{"key", rule.key}, {"expected", rule.expected}, {"found", rule.found}});
  return all;
}

ExplainedJson figures_json(const LayoutTrial& trial, const std::optional<EvaluatedPlan>& best) {
  const bool known = trial.is_known();
  return {{"rules", rules_json(trial.rules)},
          {"refusal", text_or_null(trial.refusal)},
          {"step_s", known ? ExplainedJson(trial.step.value()) : ExplainedJson()},
          {"peak_memory_bytes", trial.memory ? ExplainedJson(trial.memory->value()) : ExplainedJson()},
          {"fits", trial.fits ? ExplainedJson(*trial.fits) : ExplainedJson()},
          {"above_best", known && best ? ExplainedJson(trial.value / best->value - 1) : ExplainedJson()}};
}

ExplainedJson tried_json(const PlanJob& job, const std::vector<TriedLayout>& tried,
                         const std::optional<EvaluatedPlan>& best) {
  ExplainedJson all = ExplainedJson::array();
  for (const TriedLayout& one : tried)
    all.push_back({{"key", one.change.key},
                   {"from", one.change.from},
                   {"to", one.change.to},
                   {"layout", placed_json(job, one.change.layout)},
                   {"figures", figures_json(one.trial, best)}});
  return all;
}

ExplainedJson way_step_json(const PlanJob& job, const WayStep& step, const ExplainedLayout& explained) {
  ExplainedJson changes = ExplainedJson::array();
  for (const LayoutChange& change : step.changes)
    changes.push_back({{"key", change.key}, {"from", change.from}, {"to", change.to}});
  return {{"changes", std::move(changes)},
          {"layout", placed_json(job, step.trial.layout)},
          {"figures", figures_json(step.trial, explained.best)},
          {"gain", step.saved / explained.target().value}};
}

ExplainedJson way_json(const PlanJob& job, const ExplainedLayout& explained) {
  if (!explained.way) return {};
  const LayoutWay& way = *explained.way;
  ExplainedJson steps = ExplainedJson::array();
  for (const WayStep& step : way.steps) steps.push_back(way_step_json(job, step, explained));
  const double above = explained.own.value / explained.target().value - 1;
  return {{"target", way.to_best ? "best" : "plan-1"},
          {"above_target", explained.own.is_known() ? ExplainedJson(above) : ExplainedJson()},
          {"alone", tried_json(job, way.alone, explained.best)},
          {"steps", std::move(steps)}};
}

ExplainedJson account_json(const std::optional<TimeAccount>& account) {
  if (!account) return {};
  ExplainedJson json = {{"step_s", account->step.value()}};
  for (const TimePart& part : kTimeParts) json[part.key] = ((*account).*part.time).value();
  return json;
}

ExplainedJson accounts_json(const ComparedAccounts& accounts) {
  return {{"yours", account_json(accounts.own)},
          {"plan_1", account_json(accounts.recommended)},
          {"best", account_json(accounts.best)}};
}

ExplainedJson memory_json(const std::vector<RankMemory>& memory) {
  ExplainedJson all = ExplainedJson::array();
  for (const RankMemory& one : memory) {
    ExplainedJson layers = ExplainedJson::array();
    for (const LayerRange& range : one.layers) layers.push_back({range.first, range.first + range.size()});
    const MemoryParts& parts = one.parts;
    all.push_back({{"rank", one.rank},
                   {"layers", std::move(layers)},
                   {"bytes", parts.total().value()},
                   {"parameters", parts.state.parameters.value()},
                   {"gradients", parts.state.gradients.value()},
                   {"optimizer", parts.state.optimizer.value()},
                   {"activations", parts.activations.value()},
                   {"transposed", (parts.transposed + parts.waiting).value()},
                   {"working", parts.working.value()},
                   {"workspace", parts.workspace.value()}});
  }
  return all;
}

ExplainedJson best_json(const PlanJob& job, const std::optional<EvaluatedPlan>& best) {
  if (!best) return {};
  const auto& peak = best->outcome.schedules.front().peak_memory;
  return {{"layout", placed_json(job, best->layout)},
          {"step_s", best->step.value()},
          {"peak_memory_bytes", peak ? ExplainedJson(peak->value()) : ExplainedJson()}};
}

ExplainedJson recommended_json(const PlanJob& job, const ExplainedLayout& explained) {
  if (!explained.recommended) return {};
  const auto& [plan, launch, place, best_reason] = *explained.recommended;
  return {{"layout", placed_json(job, plan.layout)},
          {"step_s", plan.step.value()},
          {"above_best", plan.value / explained.best->value - 1},
          {"place", place},
          {"launched_by",
           launch.launch ? ExplainedJson(launch_writer(*launch.framework).software()) : ExplainedJson()},
          {"launch_reason", text_or_null(launch.reason)},
          {"best_launch_reason", text_or_null(best_reason)}};
}

// The plan of `plan` that is the layout, or that stands for it.
ExplainedJson row_json(const ExplainedLayout& explained) {
  if (explained.row == 0) return {};
  return {{"number", explained.row}, {"stands_for_it", explained.is_folded}};
}

ExplainedJson launch_json(const ExplainedLayout& explained) {
  if (!explained.launch || !explained.launch->launch) return {};
  return undumped(compact_json(launch_document(*explained.launch->framework, *explained.launch->launch)));
}

ExplainedJson bounds_json(const ExplainedLayout& explained) {
  if (!explained.own.rules.empty()) return {};
  return {{"step_s", explained.step_bound.value()}, {"memory_bytes", explained.memory_bound.value()}};
}

ExplainedJson interval_json(const ExplainedLayout& explained) {
  if (!explained.interval) return {};
  return {explained.own.step.value() * explained.interval->low,
          explained.own.step.value() * explained.interval->high};
}

}  // namespace

std::string explained_layout_json(const AskedLayout& asked, const ExplainedLayout& explained,
                                  const SearchResult& result) {
  const PlanJob& job = asked.job;
  const auto limit = usable_memory(job, job.clusters[asked.layout.cluster]);
  return dumped(
             ExplainedJson{{"schema", "spillway/layout-explanation/1"},
                           {"name", job.name},
                           {"program", program_version()},
                           {"asked", asked.words},
                           {"notes", asked.notes},
                           {"layout", placed_json(job, asked.layout)},
                           {"fate", word_of(explained.fate)},
                           {"figures", figures_json(explained.own, explained.best)},
                           {"step_interval_s", interval_json(explained)},
                           {"bounds", bounds_json(explained)},
                           {"usable_memory_bytes", limit ? ExplainedJson(limit->value()) : ExplainedJson()},
                           {"not_searched", rules_json(explained.unlisted)},
                           {"planned_as", text_or_null(explained.planned_as)},
                           {"launch", launch_json(explained)},
                           {"launch_reason", text_or_null(explained.launch ? explained.launch->reason : "")},
                           {"limit", text_or_null(explained.own.limit)},
                           {"place", explained.place > 0 ? ExplainedJson(explained.place) : ExplainedJson()},
                           {"plans", result.plans.size()},
                           {"plan", row_json(explained)},
                           {"margin", explained.best ? ExplainedJson(explained.margin) : ExplainedJson()},
                           {"best", best_json(job, explained.best)},
                           {"recommended", recommended_json(job, explained)},
                           {"no_plan", text_or_null(result.refusal)},
                           {"towards_best", tried_json(job, explained.towards_best, explained.best)},
                           {"way", way_json(job, explained)},
                           {"accounts", accounts_json(explained.accounts)},
                           {"memory", memory_json(explained.misfit.memory)},
                           {"would_fit", tried_json(job, explained.misfit.changes, explained.best)}},
             2) +
         '\n';
}

}  // namespace spillway
