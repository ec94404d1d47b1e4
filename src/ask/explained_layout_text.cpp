#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ask/explained_layout.h"
#include "json/word_of.h"
#include "memory/memory_text.h"
#include "search/plan_value.h"
#include "words/duration_text.h"
#include "words/table.h"
#include "words/wording.h"

namespace spillway {
namespace {

// Ranks whose memory is shown as text; --json has all.
constexpr std::size_t kRanksAsText = 8;

std::string whole_layout_text(const PlanJob& job, const PlanLayout& layout) {
  const bool samples = job.clusters[layout.cluster].analytic().workload.packing == Packing::Unpacked;
  return fmt::format("P={} TP={} CP={} EP={} R={}, {} x {} {}, {}, recompute {}, {}, {} devices of {}",
                     layout.ranks, layout.tensor, layout.context, layout.expert, layout.replicas,
                     layout.microbatches, layout.microbatch, samples ? "samples" : "sequences",
                     job.search.schedules[layout.schedule].name, word_of(kRecomputes, layout.recompute),
                     word_of(kDataParallels, layout.data), layout.devices,
                     job.clusters[layout.cluster].platform().name);
}

std::string rules_text(const std::vector<BrokenRule>& rules) {
  std::vector<std::string> all;
  for (const BrokenRule& rule : rules) all.push_back(to_string(rule));
  return joined(all, "; ");
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

// "0.5 % more costly than the best".
std::string distance_text(const PlanJob& job, double share) {
  const char* words[2][2] = {{"slower", "faster"}, {"dearer", "cheaper"}};
  return fmt::format("{:.1f} % {} than the best", 100 * std::abs(share),
                     words[job.objective == Objective::Usd][share < 0]);
}

std::string own_figures(const AskedLayout& asked, const ExplainedLayout& explained) {
  if (!explained.own.is_known()) return "";
  std::string text = "it takes " + step_text(explained) + " a step";
  if (explained.own.memory) text += " and " + bytes_text(*explained.own.memory);
  if (explained.best && explained.fate != LayoutFate::Best)
    text += ", " + distance_text(asked.job, explained.own.value / explained.best->value - 1);
  return text;
}

std::string memory_reason(const AskedLayout& asked, const ExplainedLayout& explained) {
  const Bytes limit = *usable_memory(asked.job, asked.job.clusters[asked.layout.cluster]);
  std::string text = fmt::format("it does not fit: it needs {}, and a plan may use {} of a device",
                                 bytes_text(*explained.own.memory), bytes_text(limit));
  if (explained.memory_bound > limit)
    text += fmt::format("; a bound proves it before any evaluation, at least {}",
                        bytes_text(explained.memory_bound));
  return text;
}

std::string tie_text(const ExplainedLayout& explained) {
  return fmt::format("plans that differ by less than {:.1f} % cannot be told apart", 100 * explained.margin);
}

std::string out_of_reach_text(const ExplainedLayout& explained) {
  return fmt::format(
      "it cannot be among the best: a bound proves that it takes at least {} a step, and the best takes {}",
      duration_text(explained.step_bound), duration_text(explained.best->step));
}

std::string reason(const AskedLayout& asked, const ExplainedLayout& explained, std::size_t plans) {
  const std::string place = fmt::format("number {} of {} evaluated plans", explained.place, plans);
  switch (explained.fate) {
    case LayoutFate::Illegal:
      return "it is no legal layout of this job: " + rules_text(explained.own.rules);
    case LayoutFate::Refused:
      return "it cannot be evaluated: " + explained.own.refusal;
    case LayoutFate::DoesNotFit:
      return memory_reason(asked, explained);
    case LayoutFate::NotSearched:
      return "the job does not search it: " + rules_text(explained.unlisted);
    case LayoutFate::BeyondLimits:
      return "it exceeds a limit of the job: " + explained.own.limit;
    case LayoutFate::OutOfReach:
      return out_of_reach_text(explained);
    case LayoutFate::Tied:
      return "it stands in the tie of the best, " + place + ": " + tie_text(explained);
    case LayoutFate::Slower:
      return place + ", and not in the tie of the best: " + tie_text(explained);
    case LayoutFate::Best:
      return "it is the best";
  }
  return "";
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
  text += wrapped("  why: ", reason(asked, explained, result.plans.size()), kTableColumns);
  const std::string own = own_figures(asked, explained);
  if (!own.empty()) text += wrapped("  yours: ", own, kTableColumns);
  if (explained.best)
    text += wrapped("  best: ",
                    whole_layout_text(job, explained.best->layout) + ", " +
                        duration_text(explained.best->step) + " a step",
                    kTableColumns);
  else
    text += wrapped("  best: ", "none, since " + result.refusal, kTableColumns);
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
