#include "twin/measured_stages.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "cost/draw_loads.h"
#include "experiment/derive_options.h"
#include "input/experiment/measured_rows.h"

namespace spillway {
namespace {

bool is_planned(const ScheduleSpec& schedule) {
  return (schedule.layers_per_rank.empty() && schedule.split != StageSplit::ByCount) ||
         !schedule.modules.empty();
}

StagedSchedule staged(const Experiment& experiment, const ScheduleSpec& schedule) {
  const Outline outline =
      derive_outline(experiment.model, schedule.schedule, schedule.cut, derive_options(experiment, schedule));
  return {schedule.name, outline.stages};
}

// The stages by rank; empty unless each rank has one.
std::vector<Stage> by_rank(std::vector<Stage> stages, std::uint32_t ranks) {
  std::ranges::sort(stages, {}, &Stage::rank);
  const bool one_each = std::ranges::adjacent_find(stages, {}, &Stage::rank) == stages.end();
  return one_each && stages.size() == ranks ? stages : std::vector<Stage>();
}

}  // namespace

StagedSchedules staged_schedules(const Experiment& experiment, const TraceChoice& choice) {
  StagedSchedules schedules;
  for (const ScheduleSpec& schedule : experiment.schedules) {
    if (!choice.schedule.empty() && schedule.name != choice.schedule) continue;
    if (is_planned(schedule))
      add_to_list(schedules.others, schedule.name + " (its layers are planned)");
    else
      schedules.all.push_back(staged(experiment, schedule));
  }
  return schedules;
}

StagedSchedule one_stage_on_each_rank(const Experiment& experiment, const TraceChoice& choice,
                                      const std::string& file) {
  StagedSchedules schedules = staged_schedules(experiment, choice);
  for (StagedSchedule& schedule : schedules.all) {
    std::vector<Stage> stages = by_rank(schedule.stages, experiment.pipeline.ranks);
    if (!stages.empty()) return {schedule.name, std::move(stages)};
    add_to_list(schedules.others, schedule.name + " (" + counted(schedule.stages.size(), "stage") + " on " +
                                      counted(experiment.pipeline.ranks, "rank") + ")");
  }
  throw InputError({{file, "/",
                     "a schedule of " + experiment.name +
                         " with one stage on each rank, since these times add up all stages of a rank",
                     schedules.others.empty() ? "none of that name" : schedules.others}});
}

void require_all_steps(const TraceChoice& choice, const std::string& file) {
  if (choice.steps.empty()) return;
  std::string found;
  for (const std::string& step : choice.steps) add_to_list(found, step);
  throw InputError(
      {{file, "/", "no --step, which chooses steps of traces: here all steady steps count", found}});
}

std::uint32_t measured_rank(const Experiment& experiment, const TraceChoice& choice,
                            const std::string& file) {
  const std::uint32_t ranks = experiment.pipeline.ranks;
  if (choice.ranks.empty() && ranks == 1) return 0;
  if (choice.ranks.size() == 1 && choice.ranks.front() < ranks) return choice.ranks.front();
  std::string found;
  for (const std::uint32_t rank : choice.ranks) add_to_list(found, std::to_string(rank));
  throw InputError(
      {{file, "/", "--rank with the pipeline rank that was measured, of " + counted(ranks, "rank"),
        found.empty() ? "none" : found}});
}

std::string tokens_text(const DrawLoads& loads, ReplicaId replica, MicrobatchId microbatch) {
  std::vector<std::uint32_t> lengths;
  for (const auto& [count, length] : loads.tokens(replica, microbatch).sequences)
    lengths.insert(lengths.end(), static_cast<std::size_t>(count), static_cast<std::uint32_t>(length));
  return counts_text(lengths);
}

std::string patches_text(const MicrobatchLoad& load) {
  std::vector<std::uint32_t> patches;
  for (const MediaItem& item : load.media)
    patches.insert(patches.end(), item.parts, item.patches / item.parts);
  return counts_text(patches);
}

std::string MicrobatchContents::note() const {
  if (!drawn) return "";
  return "images are drawn, so a time is the mean of a step's microbatches, and is held against the mean "
         "of " +
         std::to_string(std::ranges::count(tokens, ';') + 1) +
         " drawn ones: how passes differ among microbatches is the roofline's";
}

MicrobatchContents microbatch_contents(const Experiment& experiment) {
  const auto& job = std::get<AnalyticExperiment>(experiment.costs);
  MicrobatchContents all{"", "", job.workload.packing != Packing::TextOnly};
  const auto [ranks, microbatches, replicas] = experiment.pipeline;
  std::size_t count = 0;
  for (std::uint32_t index = 0; count < kDrawnMicrobatches; ++index) {
    const Draw draw = sample(job.workload, {microbatches, replicas, experiment.seed, index});
    const DrawLoads loads = draw_loads(job.costs, draw);
    for (std::uint32_t replica = 0; replica < replicas; ++replica)
      for (std::uint32_t m = 0; m < microbatches; ++m, ++count) {
        const char* between = count > 0 ? "; " : "";
        all.tokens += between + tokens_text(loads, ReplicaId(replica), MicrobatchId(m));
        all.patches += between + patches_text(draw[replica][m]);
        if (!all.drawn) return all;
      }
  }
  return all;
}

}  // namespace spillway
