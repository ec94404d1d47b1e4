#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ask/explained_layout.h"
#include "ask/why_text.h"
#include "json/word_of.h"
#include "memory/memory_text.h"
#include "search/answer/plan_words.h"
#include "words/duration_text.h"
#include "words/table.h"
#include "words/wording.h"

namespace spillway {
namespace {

// Ranks whose memory is shown as text; --json has all.
constexpr std::size_t kRanksAsText = 8;

std::string whole_layout_text(const PlanJob& job, const PlanLayout& layout) {
  const bool samples = job.clusters[layout.cluster].analytic().workload.packing == Packing::Unpacked;
  return fmt::format("P={} TP={} CP={} EP={} R={}, {} x {} {}, {}, recompute {}, {}, {}", layout.ranks,
                     layout.tensor, layout.context, layout.expert, layout.replicas, layout.microbatches,
                     layout.microbatch, samples ? "samples" : "sequences",
                     job.search.schedules[layout.schedule].name, word_of(kRecomputes, layout.recompute),
                     word_of(kDataParallels, layout.data), where_text(job, layout));
}

std::string layers_text(const std::vector<LayerRange>& layers) {
  std::vector<std::string> all;
  for (const LayerRange& range : layers)
    all.push_back(range.size() == 1 ? std::to_string(range.first)
                                    : fmt::format("{}-{}", range.first, range.first + range.size() - 1));
  return joined(all);
}

// The fullest rank, and as many of the first as are shown.
std::vector<RankMemory> shown_memory(const std::vector<RankMemory>& all) {
  std::vector<RankMemory> shown(all.begin(), all.begin() + std::min(all.size(), kRanksAsText));
  const auto fullest =
      std::ranges::max_element(all, {}, [](const RankMemory& one) { return one.parts.total(); });
  if (fullest != all.end() && fullest->rank >= kRanksAsText) shown.push_back(*fullest);
  return shown;
}

std::string memory_rows(const std::vector<RankMemory>& memory) {
  if (memory.empty()) return "";
  TableRows rows = {{"rank", "layers", "GB", "parameters", "gradients", "optimizer", "activations",
                     "transposed", "working", "workspace"}};
  const auto gigabytes = [](Bytes bytes) { return fmt::format("{:.1f}", bytes.value() / 1e9); };
  for (const RankMemory& one : shown_memory(memory)) {
    const MemoryParts& parts = one.parts;
    std::vector<std::string> row = {std::to_string(one.rank), layers_text(one.layers)};
    for (const Bytes bytes :
         {parts.total(), parts.state.parameters, parts.state.gradients, parts.state.optimizer,
          parts.activations, parts.transposed + parts.waiting, parts.working, parts.workspace})
      row.push_back(gigabytes(bytes));
    rows.push_back(std::move(row));
  }
  return "\n  memory of each rank, and what it is of\n" + table_text(rows);
}

std::string change_words(const TriedLayout& tried, const PlanLayout& from) {
  std::string text = to_string(tried.change);
  const PlanLayout& to = tried.change.layout;
  if (tried.change.more_devices) text += fmt::format(", {} devices", to.devices);
  if (to.replicas != from.replicas) text += fmt::format(", R {}", to.replicas);
  return text;
}

std::string memory_cell(const LayoutTrial& trial) {
  return trial.memory ? fmt::format("{:.1f}", trial.memory->value() / 1e9) : "-";
}

std::string fits_cell(const LayoutTrial& trial) {
  return !trial.fits ? "unknown" : *trial.fits ? "yes" : "no";
}

std::vector<std::string> trial_row(std::string words, const LayoutTrial& trial, double value) {
  return {std::move(words), duration_text(trial.step), signed_percent(trial.value / value - 1, 1),
          memory_cell(trial), fits_cell(trial)};
}

std::string impossible_lines(const std::vector<TriedLayout>& all, const PlanLayout& from) {
  std::string text;
  for (const TriedLayout& one : all)
    if (!one.trial.is_known())
      text += wrapped("  not possible: ",
                      change_words(one, from) + ": " +
                          (one.trial.rules.empty() ? one.trial.refusal : rules_text(one.trial.rules)),
                      kTableColumns);
  return text;
}

std::string objective_heading(const PlanJob& job) {
  return job.objective == Objective::Usd ? "cost" : "time";
}

std::string towards_best_lines(const AskedLayout& asked, const ExplainedLayout& explained) {
  if (explained.towards_best.empty()) return "";
  const double own = explained.own.value;
  TableRows rows = {{"one change towards the best", "step", objective_heading(asked.job), "GB", "fits"}};
  if (explained.own.is_known()) rows.push_back(trial_row("yours", explained.own, own));
  for (const TriedLayout& one : explained.towards_best)
    if (one.trial.is_known())
      rows.push_back(trial_row(change_words(one, asked.layout), one.trial,
                               explained.own.is_known() ? own : explained.best->value));
  const EvaluatedPlan& best = *explained.best;
  const auto& peak = best.outcome.schedules.front().peak_memory;
  rows.push_back({"the best", duration_text(best.step),
                  signed_percent(explained.own.is_known() ? best.value / own - 1 : 0, 1),
                  peak ? fmt::format("{:.1f}", peak->value() / 1e9) : "-", "yes"});
  return '\n' + table_text(rows) + impossible_lines(explained.towards_best, asked.layout);
}

std::string saving_rows(const std::vector<TriedLayout>& changes, const PlanLayout& layout) {
  TableRows rows = {{"one change", "GB", "fits", "step"}};
  for (const TriedLayout& one : changes)
    if (one.trial.is_known())
      rows.push_back({change_words(one, layout), memory_cell(one.trial), fits_cell(one.trial),
                      duration_text(one.trial.step)});
  if (rows.size() == 1) return "";
  return "\n  what would make it fit, one change at a time\n" + table_text(rows);
}

std::string step_text(const ExplainedLayout& explained) {
  const Seconds step = explained.own.step;
  std::string text = duration_text(step);
  if (!explained.interval) return text;
  const TimeUnit unit = unit_for(step);
  return text + fmt::format(" [{}, {}]", number_text(step * explained.interval->low, unit, step),
                            number_text(step * explained.interval->high, unit, step));
}

std::string own_figures(const AskedLayout& asked, const ExplainedLayout& explained) {
  if (!explained.own.is_known()) return "";
  std::string text = "it takes " + step_text(explained) + " a step";
  if (explained.own.memory) text += " and " + bytes_text(*explained.own.memory);
  if (explained.best && explained.place != 1)
    text += ", " + distance_text(asked.job, explained.own.value / explained.best->value - 1);
  return text;
}

// By which framework it can be launched, or why by none.
std::string launch_line(const ExplainedLayout& explained) {
  if (!explained.launch) return "";
  const LaunchOffer& offer = *explained.launch;
  return wrapped("  launch: ", offer.launch ? launch_words(offer) : "none: " + offer.reason, kTableColumns);
}

std::string plan_words(const PlanJob& job, const EvaluatedPlan& plan) {
  return whole_layout_text(job, plan.layout) + ", " + duration_text(plan.step) + " a step";
}

std::string plan_1_words(const PlanJob& job, const ExplainedLayout& explained) {
  const RecommendedPlan& first = *explained.recommended;
  const std::string text =
      plan_words(job, first.plan) + ", " + distance_text(job, first.plan.value / explained.best->value - 1);
  if (!first.launch.launch) return text;
  return text + "; it is launched by " + launch_writer(*first.launch.framework).software();
}

// The best and plan 1, unless they are this layout.
std::string best_lines(const PlanJob& job, const ExplainedLayout& explained, const std::string& refusal) {
  if (!explained.best) return wrapped("  best: ", "none, since " + refusal, kTableColumns);
  const bool is_plan_1 = explained.recommended->place == 1;
  std::string text;
  if (explained.place != 1)
    text +=
        wrapped(is_plan_1 ? "  best, plan 1: " : "  best: ", plan_words(job, *explained.best), kTableColumns);
  if (!is_plan_1 && explained.fate != LayoutFate::Recommended)
    text += wrapped("  plan 1: ", plan_1_words(job, explained), kTableColumns);
  return text;
}

}  // namespace

std::string misfit_text(const PlanJob& job, const PlanLayout& layout, const MisfitAccount& misfit) {
  std::string text = wrapped("  of ", whole_layout_text(job, layout), kTableColumns);
  return text + memory_rows(misfit.memory) + saving_rows(misfit.changes, layout) +
         impossible_lines(misfit.changes, layout);
}

std::string explained_layout_text(const AskedLayout& asked, const ExplainedLayout& explained,
                                  const SearchResult& result) {
  const PlanJob& job = asked.job;
  std::string text = wrapped("", whole_layout_text(job, asked.layout), kTableColumns);
  text += wrapped("  why: ", why_text(asked, explained, result.plans.size()), kTableColumns);
  const std::string own = own_figures(asked, explained);
  if (!own.empty()) text += wrapped("  yours: ", own, kTableColumns);
  text += launch_line(explained) + best_lines(job, explained, result.refusal);
  if (!explained.planned_as.empty())
    text += wrapped("  note: ", "here its schedule is the same as " + explained.planned_as, kTableColumns);
  for (const std::string& note : asked.notes) text += wrapped("  note: ", note, kTableColumns);
  text += towards_best_lines(asked, explained);
  if (explained.fate != LayoutFate::DoesNotFit) return text;
  const MisfitAccount& misfit = explained.misfit;
  return text + memory_rows(misfit.memory) + saving_rows(misfit.changes, asked.layout) +
         impossible_lines(misfit.changes, asked.layout);
}

}  // namespace spillway
