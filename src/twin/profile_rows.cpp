#include "twin/profile_rows.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/statistics.h"
#include "base/text.h"
#include "twin/measured_stages.h"

namespace spillway {
namespace {

[[noreturn]] void refuse_profile(const JobProfile& job, std::string expected, std::string found) {
  throw InputError({{job.files.front(), "/", std::move(expected), std::move(found)}});
}

// Milliseconds by direction.
using TimesByDirection = std::map<std::string, std::vector<double>>;

TimesByDirection times_in(const ProfiledStep& step) {
  TimesByDirection times;
  for (const ProfiledPass& pass : step.passes)
    if (pass.span > Seconds() && pass.direction != PassPhase::Unknown)
      times[std::string(to_string(pass.direction))].push_back(pass.span / milliseconds(1));
  return times;
}

// Over the steady steps of all processes; with `means`, one of each step.
TimesByDirection times_of(const JobProfile& job, bool means) {
  TimesByDirection times;
  const std::size_t warm_up = job.steps ? job.steps->warm_up : 0;
  for (const ProfiledRank& rank : job.ranks)
    for (std::size_t step = warm_up; step < rank.steps.size(); ++step) {
      if (!rank.steps[step].whole) continue;
      for (auto& [direction, ms] : times_in(rank.steps[step])) {
        if (means) ms = {mean_of(ms)};
        times[direction].insert(times[direction].end(), ms.begin(), ms.end());
      }
    }
  return times;
}

void require_layers(const JobProfile& job, const Experiment& experiment, LayerRange layers) {
  for (const ProfiledRank& rank : job.ranks)
    for (const ProfiledLayers& equal : rank.layers)
      if (equal.layers > layers.size())
        refuse_profile(job,
                       "at most " + counted(layers.size(), "equal layer") + ", as " +
                           layers_text(experiment.model, layers) + " has",
                       std::to_string(equal.layers));
}

std::vector<std::string> notes_of(const JobProfile& job) {
  std::vector<std::string> notes;
  for (const Inferred& one : job.ranks.front().inferences)
    if (one.what == "steps" || one.what == "backward" || one.what == "optimizer")
      notes.push_back(one.what + ": " + one.found + " (" + std::string(to_string(one.confidence)) + ": " +
                      one.how + ")");
  if (job.ranks.front().of_the_host)
    notes.emplace_back("the profile has no device: the host's outermost operators are the work");
  return notes;
}

}  // namespace

TraceRows profile_rows(const JobProfile& job, const Experiment& experiment, const TraceChoice& choice) {
  const std::string& file = job.files.front();
  require_all_steps(choice, file);
  const MicrobatchContents contents = microbatch_contents(experiment);
  const StagedSchedule schedule = one_stage_on_each_rank(experiment, choice, file);
  if (job.ranks.size() > 1 && experiment.pipeline.ranks > 1)
    refuse_profile(job, "the profile of one process, and its pipeline rank by --rank",
                   std::to_string(job.ranks.size()) + " processes");
  const LayerRange layers = schedule.stages[measured_rank(experiment, choice, file)].layers;
  require_layers(job, experiment, layers);
  TimesByDirection times = times_of(job, contents.drawn);
  if (!times.contains("forward") || !times.contains("backward"))
    refuse_profile(job, "forward and backward passes in a whole step",
                   times.empty() ? "no whole step with passes" : "only " + times.begin()->first + " passes");
  TraceRows rows{{}, schedule.name, notes_of(job)};
  if (contents.drawn) rows.notes.push_back(contents.note());
  for (auto& [direction, milliseconds] : times) {
    const bool optimizer = direction == kOptimizerWord;
    if (optimizer && !experiment.model.trainable(layers)) continue;
    rows.rows.push_back({file, direction, layers_text(experiment.model, layers), direction,
                         optimizer ? "" : contents.tokens, optimizer ? "" : contents.patches,
                         std::move(milliseconds)});
  }
  return rows;
}

}  // namespace spillway
