#include "api/explain.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "json/shipped_files.h"

namespace spillway {
namespace {

// An experiment, and a function that reads one of its schedules again.
struct Explained {
  Experiment experiment;
  std::string file;
  std::function<ReadAgain(std::size_t schedule)> reader_of;
};

Explained from_experiment(const ExperimentArguments& arguments) {
  ExperimentInput input = read_input(arguments);
  const std::optional<Terms> terms = input.experiment.equal_terms;
  return {std::move(input.experiment), std::move(input.file), [&arguments, terms](std::size_t schedule) {
            return [&arguments, which = ScheduleAlone{schedule, terms}](const std::vector<Setting>& changes) {
              return read_alone(arguments, changes, which);
            };
          }};
}

Explained from_table(const ExplainArguments& arguments) {
  const ExperimentArguments& given = arguments.experiment;
  if (!given.order.empty() || !given.workload.empty())
    refuse_argument(given.order.empty() ? "--workload" : "--order", "no such option beside --case",
                    '"' + (given.order.empty() ? given.workload : given.order) + '"');
  const auto table = std::make_shared<const CaseFile>(shipped_source(given.source, "cases"));
  const std::size_t index = case_named(*table, arguments.case_name);
  const std::vector<Setting> base = settings_from(given.sets);
  // A case has one schedule.
  return {table->experiment(index, base), given.source.file, [=](std::size_t) {
            return
                [=](const std::vector<Setting>& changes) { return table->experiment(index, base, changes); };
          }};
}

// Keeps the schedule, followed by the schedules that fits refer to.
Experiment without_others(Experiment experiment, std::size_t schedule) {
  std::vector<std::size_t> kept = {schedule};
  for (FitSpec& fit : experiment.fits) {
    auto place = std::ranges::find(kept, fit.schedule);
    if (place == kept.end()) place = kept.insert(place, fit.schedule);
    fit.schedule = static_cast<std::size_t>(place - kept.begin());
  }
  std::vector<ScheduleSpec> all = std::exchange(experiment.schedules, {});
  for (const std::size_t one : kept) experiment.schedules.push_back(std::move(all[one]));
  experiment.baseline = 0;
  return experiment;
}

constexpr Engines kLongestPath{.run = {Engine::LongestPath}};

ExplainAnswer explain_all(const Explained& job) {
  auto evaluation = std::make_unique<const Evaluation>(evaluate(job.experiment, job.file, kLongestPath));
  std::vector<ExplainedSchedule> schedules;
  for (std::size_t i = 0; i < evaluation->schedules.size(); ++i)
    schedules.push_back(
        {&evaluation->schedules[i], what_would_help(i, evaluation->fitted, job.reader_of(i))});
  const Evaluation& explained = *evaluation;
  return {std::move(evaluation), {explained, std::move(schedules)}};
}

// Explains the schedule without the others of the file. It may exceed the memory limit, so that changes that
// would help are listed.
ExplainAnswer explain_one(const Explained& job, const std::string& name) {
  const auto schedule =
      static_cast<std::size_t>(&schedule_named(job.experiment, name) - job.experiment.schedules.data());
  const Experiment alone = without_others(job.experiment, schedule);
  auto evaluation =
      std::make_unique<const Evaluation>(evaluate_whether_it_fits(alone, job.file, kLongestPath));
  const Evaluation& explained = *evaluation;
  std::vector<TriedChange> tried = what_would_help(schedule, explained.fitted, job.reader_of(schedule));
  return {std::move(evaluation), {explained, {{&explained.schedules.front(), std::move(tried)}}}};
}

}  // namespace

ExplainAnswer explain(const ExplainArguments& arguments) {
  const Explained job =
      arguments.case_name.empty() ? from_experiment(arguments.experiment) : from_table(arguments);
  return arguments.schedule.empty() ? explain_all(job) : explain_one(job, arguments.schedule);
}

}  // namespace spillway
