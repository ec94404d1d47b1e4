#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ask/explained_layout.h"
#include "ask/trial_text.h"
#include "ask/way_text.h"
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

bool is_framework(const TriedLayout& one) {
  return one.change.key == "framework";
}

// A framework is a row only if the layout fits under it.
std::string saving_rows(const std::vector<TriedLayout>& changes, const PlanLayout& layout) {
  TableRows rows = {{"one change", "GB", "fits", "step"}};
  for (const TriedLayout& one : changes)
    if (one.trial.is_known() && (!is_framework(one) || one.trial.fits == true))
      rows.push_back({change_words(one.change, layout), memory_cell(one.trial), fits_cell(one.trial),
                      duration_text(one.trial.step)});
  if (rows.size() == 1) return "";
  return "\n  what would make it fit, one change at a time\n" + table_text(rows);
}

// "megatron-fsdp (54.3 GB)", or with the reason why it cannot train the layout.
std::string framework_words(const TriedLayout& one) {
  const LayoutTrial& trial = one.trial;
  if (!trial.is_known())
    return one.change.to + " (" + (trial.rules.empty() ? trial.refusal : rules_text(trial.rules)) + ")";
  return one.change.to + (trial.memory ? " (" + bytes_text(*trial.memory) + ")" : "");
}

// Which of the cluster's other frameworks hold it.
std::string frameworks_line(const std::vector<TriedLayout>& changes) {
  std::vector<std::string> fitting, others;
  for (const TriedLayout& one : changes)
    if (is_framework(one)) (one.trial.fits == true ? fitting : others).push_back(framework_words(one));
  if (fitting.empty() && others.empty()) return "";
  std::string words = fitting.empty() ? "it fits under none of them" : "it fits under " + joined(fitting);
  if (!others.empty()) words += (fitting.empty() ? ": " : "; not under ") + joined(others);
  return wrapped("  other frameworks: ", words, kTableColumns);
}

std::string nothing_fits_line(const std::vector<TriedLayout>& changes) {
  if (std::ranges::any_of(changes, [](const TriedLayout& one) { return one.trial.fits == true; })) return "";
  return wrapped("  none of them: ", "no single one of these changes makes it fit", kTableColumns);
}

std::string saving_text(const MisfitAccount& misfit, const PlanLayout& layout) {
  std::vector<TriedLayout> others = misfit.changes;
  std::erase_if(others, is_framework);
  return memory_rows(misfit.memory) + saving_rows(misfit.changes, layout) + frameworks_line(misfit.changes) +
         nothing_fits_line(misfit.changes) + impossible_lines(others, layout);
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
  return text + saving_text(misfit, layout);
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
  text += way_text(asked, explained) + accounts_text(explained);
  return explained.fate == LayoutFate::DoesNotFit ? text + saving_text(explained.misfit, asked.layout) : text;
}

}  // namespace spillway
