#include "twin/trace_rows.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/printable.h"
#include "base/statistics.h"
#include "base/text.h"
#include "cost/draw_loads.h"
#include "json/node.h"
#include "twin/measured_stages.h"
#include "twin/whole_steps.h"

namespace spillway {
namespace {

constexpr double kWarmUp = 1.5;                      // of the median step's passes
constexpr std::string_view kOwnFormat = "spillway";  // of execute and of the runtime

std::optional<std::string_view> direction_of(TraceKind kind) {
  switch (kind) {
    case TraceKind::Optimizer:
      return kOptimizerWord;
    case TraceKind::Forward:
      return "forward";
    case TraceKind::Backward:
      return "backward";
    case TraceKind::BackwardInput:
      return "input_gradient";
    case TraceKind::BackwardWeight:
      return "weight_gradient";
    default:
      return std::nullopt;
  }
}

[[noreturn]] void refuse_trace(const Trace& trace, std::string expected, std::string found) {
  throw InputError({{trace.files.front(), "", std::move(expected), std::move(found)}});
}

bool keeps(const TraceChoice& choice, const TraceEvent& event) {
  return direction_of(event.kind) &&
         (choice.ranks.empty() || std::ranges::find(choice.ranks, event.rank) != choice.ranks.end());
}

std::uint32_t stages_in(const Trace& trace, const TraceChoice& choice) {
  std::uint32_t stages = 0;
  for (const TraceEvent& event : trace.events)
    if (keeps(choice, event)) stages = std::max(stages, event.stage + 1U);
  if (stages == 0) refuse_trace(trace, "forward and backward passes", "none");
  return stages;
}

std::string names_of_schedules(const Experiment& experiment) {
  std::string names;
  for (const ScheduleSpec& schedule : experiment.schedules) add_to_list(names, schedule.name);
  return names;
}

// The chosen schedule, or else the one that the trace names. A single stage has all layers under any.
TraceChoice with_schedule(const Trace& trace, const Experiment& experiment, TraceChoice choice,
                          std::uint32_t stages) {
  const bool is_all = stages == 1 && choice.ranks.empty();
  if (!choice.schedule.empty() || trace.schedule.empty() || is_all) return choice;
  for (const ScheduleSpec& schedule : experiment.schedules)
    if (printable(schedule.name) == trace.schedule) choice.schedule = schedule.name;
  if (choice.schedule.empty())
    throw InputError(
        {{trace.files.front(), "schedule",
          "one of " + experiment.name + " (" + names_of_schedules(experiment) +
              "): add the trace's to its schedules, or choose one with the same stages by --schedule",
          in_quotes(trace.schedule)}});
  return choice;
}

StagedSchedule stages_of(const Trace& trace, const Experiment& experiment, const TraceChoice& choice) {
  const std::uint32_t stages = stages_in(trace, choice);
  StagedSchedules schedules = staged_schedules(experiment, with_schedule(trace, experiment, choice, stages));
  for (StagedSchedule& with : schedules.all) {
    const std::size_t has = with.stages.size();
    if (has == stages || (!choice.ranks.empty() && has > stages)) return std::move(with);
    add_to_list(schedules.others, with.name + " (" + counted(has, "stage") + ")");
  }
  refuse_trace(
      trace,
      "a trace of a schedule of " + experiment.name + ", with layers_per_rank where a system plans them",
      counted(stages, "stage") + "; the schedules are " + schedules.others);
}

// The content of the microbatches of a trace.
class Contents {
 public:
  Contents(const Trace& trace, const AnalyticExperiment& job, const Experiment& experiment)
      : trace_(trace), pipeline_(experiment.pipeline) {
    const bool drawn = job.workload.packing != Packing::TextOnly;
    numbered_ = drawn && trace.format.starts_with(kOwnFormat);
    if (!numbered_) of_each_ = microbatch_contents(experiment);
    if (!numbered_) return;
    draw_ = sample(job.workload, {pipeline_.microbatches, pipeline_.replicas, experiment.seed, 0});
    loads_.emplace(draw_loads(job.costs, draw_));
  }

  // Images are drawn, and the trace does not say which a microbatch had.
  bool are_means() const { return of_each_.drawn; }
  std::string note() const { return of_each_.note(); }

  // Tokens and patches. An optimizer has none.
  std::pair<std::string, std::string> of(const TraceEvent& event) const {
    if (event.kind == TraceKind::Optimizer) return {};
    if (!numbered_) return {of_each_.tokens, of_each_.patches};
    if (event.replica >= pipeline_.replicas || event.microbatch >= pipeline_.microbatches)
      refuse_trace(
          trace_,
          "at most " + counted(pipeline_.microbatches, "microbatch") + " in " +
              counted(pipeline_.replicas, "replica"),
          "microbatch " + std::to_string(event.microbatch) + " of replica " + std::to_string(event.replica));
    return {tokens_text(*loads_, ReplicaId(event.replica), MicrobatchId(event.microbatch)),
            patches_text(draw_[event.replica][event.microbatch])};
  }

 private:
  const Trace& trace_;
  Pipeline pipeline_;
  bool numbered_;  // microbatches are those of the first draw
  MicrobatchContents of_each_ = {};
  Draw draw_;
  std::optional<DrawLoads> loads_;
};

// The times of one pass by step.
using TimesByStep = std::map<std::uint32_t, std::vector<double>>;

// All times, or the mean of each step.
std::vector<double> repeats_of(const TimesByStep& times, bool means) {
  std::vector<double> repeats;
  for (const auto& [step, ms] : times) {
    if (means)
      repeats.push_back(mean_of(ms));
    else
      repeats.insert(repeats.end(), ms.begin(), ms.end());
  }
  return repeats;
}

// The first step, if there are others and its passes take much longer than theirs.
std::optional<std::uint32_t> warm_up(const Trace& trace, const TraceChoice& choice) {
  std::map<std::uint32_t, double> by_step;
  for (const TraceEvent& event : trace.events)
    if (keeps(choice, event)) by_step[event.step] += event.duration.value();
  if (by_step.size() < 3) return std::nullopt;
  std::vector<double> sorted;
  for (const auto& [step, seconds] : by_step) sorted.push_back(seconds);
  std::ranges::sort(sorted);
  const auto& [first, seconds] = *by_step.begin();
  return seconds > kWarmUp * sorted[sorted.size() / 2] ? std::optional(first) : std::nullopt;
}

}  // namespace

TraceRows trace_rows(Trace trace, const Experiment& experiment, const TraceChoice& choice) {
  if (!choice.steps.empty()) keep_steps(trace, choice.steps);
  const std::optional<std::string> missing = require_whole_steps(trace);
  const StagedSchedule with = stages_of(trace, experiment, choice);
  const Contents contents(trace, std::get<AnalyticExperiment>(experiment.costs), experiment);
  const auto skipped = warm_up(trace, choice);
  const auto trains = [&](std::uint32_t stage) {
    return experiment.model.trainable(with.stages[stage].layers);
  };
  using Key = std::tuple<std::uint32_t, std::string_view, std::string, std::string>;
  std::map<Key, TimesByStep> times;
  std::size_t empty = 0;
  for (const TraceEvent& event : trace.events) {
    if (!keeps(choice, event) || event.step == skipped) continue;
    if (event.kind == TraceKind::Optimizer && !trains(event.stage)) continue;
    if (!(event.duration > Seconds())) {
      ++empty;
      continue;
    }
    const auto [tokens, patches] = contents.of(event);
    times[{event.stage, *direction_of(event.kind), tokens, patches}][event.step].push_back(event.duration /
                                                                                           milliseconds(1));
  }
  TraceRows read{{}, with.name, {}};
  for (const auto& [key, by_step] : times) {
    const auto& [stage, direction, tokens, patches] = key;
    read.rows.push_back({trace.files.front(), "stage " + std::to_string(stage),
                         layers_text(experiment.model, with.stages[stage].layers), std::string(direction),
                         tokens, patches, repeats_of(by_step, contents.are_means())});
  }
  if (read.rows.empty()) refuse_trace(trace, "passes that take time", std::to_string(empty) + " of 0 s");
  if (missing) read.notes.push_back(*missing);
  if (contents.are_means()) read.notes.push_back(contents.note());
  if (skipped)
    read.notes.push_back("step " + trace.steps[*skipped] +
                         " is left out as a warm-up: its passes take over 1.5 times the median step's");
  if (empty > 0) read.notes.push_back(std::to_string(empty) + " passes of 0 s are left out");
  return read;
}

std::string layers_text(const Model& model, LayerRange layers) {
  std::string text;
  for (std::size_t block = 0; block < model.blocks().size(); ++block) {
    const LayerRange whole = model.layers_of(block), part = model.part_of(block, layers);
    if (part.size() == 0) continue;
    text += (text.empty() ? "" : "+") + model.blocks()[block].name;
    if (part != whole)
      text += ":" + std::to_string(part.first - whole.first) + "-" + std::to_string(part.end - whole.first);
  }
  return text;
}

}  // namespace spillway
