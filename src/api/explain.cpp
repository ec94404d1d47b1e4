#include "api/explain.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "explain/gap.h"
#include "json/node.h"
#include "json/place.h"
#include "json/shipped_files.h"

namespace spillway {
namespace {

// An experiment, and functions that read one of its schedules again, and its document.
struct Explained {
  Experiment experiment;
  std::string file;
  std::function<ReadAgain(std::size_t schedule)> reader_of;
  std::function<Node()> document;
};

Explained from_experiment(const ExperimentArguments& arguments) {
  ExperimentInput input = read_input(arguments);
  const std::optional<Terms> terms = input.experiment.equal_terms;
  const auto memory = std::make_shared<FileMemory>();  // each change reads the same files
  return {std::move(input.experiment), std::move(input.file),
          [&arguments, terms, memory](std::size_t schedule) {
            return [&arguments, memory,
                    which = ScheduleAlone{schedule, terms}](const std::vector<Setting>& changes) {
              return read_alone(arguments, changes, which, Files(*memory));
            };
          },
          [&arguments] { return document_of(arguments); }};
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
  return {table->experiment(index, base), given.source.file,
          [=](std::size_t) {
            return
                [=](const std::vector<Setting>& changes) { return table->experiment(index, base, changes); };
          },
          [=] { return table->document(index, base); }};
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
constexpr Engines kWithIntervals{.run = {Engine::LongestPath}, .intervals = true};

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
ExplainAnswer explain_one(const Explained& job, const std::string& name,
                          const std::optional<double>& measured_s) {
  const auto schedule =
      static_cast<std::size_t>(&schedule_named(job.experiment, name) - job.experiment.schedules.data());
  const Experiment alone = without_others(job.experiment, schedule);
  auto evaluation = std::make_unique<const Evaluation>(
      evaluate_whether_it_fits(alone, job.file, measured_s ? kWithIntervals : kLongestPath));
  const Evaluation& explained = *evaluation;
  const ReadAgain reader = job.reader_of(schedule);
  ExplainedSchedule one{&explained.schedules.front(), what_would_help(schedule, explained.fitted, reader)};
  if (measured_s)
    one.gap = explain_gap({*one.schedule, explained.fitted, reader, job.document()}, Seconds(*measured_s));
  return {std::move(evaluation), {explained, {std::move(one)}}};
}

// The schedule of the measured step, by name.
std::string measured_schedule(const Explained& job, const ExplainArguments& arguments) {
  const double measured = *arguments.measured_s;
  if (!(measured > 0 && measured <= kLargestNumber))
    refuse_argument("--measured", "seconds above 0", describe({measured}));
  if (!arguments.schedule.empty()) return arguments.schedule;
  if (job.experiment.schedules.size() > 1)
    refuse_argument("--measured", "--schedule beside it, since the experiment has several schedules",
                    counted(job.experiment.schedules.size(), "schedule"));
  return job.experiment.schedules.front().name;
}

}  // namespace

GapAccount explain_case(const CaseFile& table, std::size_t index) {
  const Evaluation evaluation =
      evaluate_whether_it_fits(table.experiment(index), table.path(), kWithIntervals);
  const auto reader = [&](const std::vector<Setting>& changes) {
    return table.experiment(index, {}, changes);
  };
  return explain_gap({evaluation.schedules.front(), evaluation.fitted, reader, table.document(index)},
                     *table.table().cases[index].step, Together::One);
}

ExplainAnswer explain(const ExplainArguments& arguments) {
  const Explained job =
      arguments.case_name.empty() ? from_experiment(arguments.experiment) : from_table(arguments);
  const std::string schedule = arguments.measured_s ? measured_schedule(job, arguments) : arguments.schedule;
  return schedule.empty() ? explain_all(job) : explain_one(job, schedule, arguments.measured_s);
}

}  // namespace spillway
