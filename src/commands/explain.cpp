#include "commands/explain.h"

#include <memory>
#include <utility>
#include <vector>

#include "spec/json/shipped_files.h"

namespace spillway {
namespace {

// An experiment, and how it is read again.
struct Explained {
  Experiment experiment;
  std::string file;
  ReadAgain read_again;
};

Explained from_experiment(const ExperimentArguments& arguments) {
  ExperimentInput input = read_input(arguments);
  return {std::move(input.experiment), std::move(input.file),
          [&arguments](const std::vector<Setting>& changes) {
            return read_input(arguments, changes).experiment;
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
  return {table->experiment(index, base), given.source.file,
          [=](const std::vector<Setting>& changes) { return table->experiment(index, base, changes); }};
}

}  // namespace

ExplainAnswer explain(const ExplainArguments& arguments) {
  const Explained job =
      arguments.case_name.empty() ? from_experiment(arguments.experiment) : from_table(arguments);
  if (!arguments.schedule.empty()) schedule_named(job.experiment, arguments.schedule);
  auto evaluation =
      std::make_unique<const Evaluation>(evaluate(job.experiment, job.file, {.run = {Engine::LongestPath}}));
  std::vector<ExplainedSchedule> schedules;
  for (std::size_t i = 0; i < evaluation->schedules.size(); ++i) {
    const ScheduleResult& schedule = evaluation->schedules[i];
    if (!arguments.schedule.empty() && schedule.name != arguments.schedule) continue;
    schedules.push_back({&schedule, what_would_help(job.experiment, i, evaluation->fitted, job.read_again)});
  }
  const Evaluation& explained = *evaluation;
  return {std::move(evaluation), {explained, std::move(schedules)}};
}

}  // namespace spillway
