#include "api/export_launch.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/text.h"
#include "draws/fold.h"
#include "optimize/layer_split.h"
#include "words/whole_file.h"

namespace spillway {
namespace {

// The stages as a run splits them.
ScheduleSpec with_its_stages(const Experiment& experiment, const ScheduleSpec& schedule) {
  if (schedule.split == StageSplit::ByCount || !schedule.layers_per_rank.empty()) return schedule;
  const DrawCosts costs(folded(experiment, Links::Own));
  return with_planned_stages(costs, schedule, PlanningDraws::expected(costs.experiment()));
}

void write_files(const WrittenLaunch& launch, const std::filesystem::path& folder) {
  WholeFiles files;
  for (const LaunchFile& file : launch.files)
    files.add(folder / file.name, [&](std::ostream& out) { out << file.text; });
  files.put();
}

using Named = std::optional<LaunchFramework>;

std::vector<ExportedLaunch> launches_of(const Experiment& experiment, const ScheduleSpec& schedule,
                                        Named named) {
  const ScheduleSpec placed = with_its_stages(experiment, schedule);
  std::vector<ExportedLaunch> launches;
  for (const LaunchWriter& writer : launch_writers())
    if (!named || writer.framework == *named)
      launches.push_back({writer.framework, write_launch(experiment, placed, writer.framework)});
  return launches;
}

bool any_is_written(const std::vector<ExportedLaunch>& launches) {
  return std::ranges::any_of(
      launches, [](const ExportedLaunch& one) { return std::holds_alternative<WrittenLaunch>(one.answer); });
}

std::vector<std::string> launched_instead(const Experiment& experiment, const std::string& schedule,
                                          Named named) {
  std::vector<std::string> names;
  for (const ScheduleSpec& other : experiment.schedules)
    if (other.name != schedule && any_is_written(launches_of(experiment, other, named)))
      names.push_back(other.name);
  return names;
}

std::string refusal(const LaunchWriter& writer, const ExportAnswer& answer) {
  std::string text = writer.software() + " cannot express the experiment:";
  for (const std::string& reason : std::get<LaunchReasons>(answer.launches.front().answer))
    text += "\n  " + reason;
  if (!answer.instead.empty()) text += "\nit has a launch of --schedule " + joined(answer.instead, ", ");
  return text;
}

}  // namespace

ExportAnswer export_launch(const ExportArguments& arguments) {
  const auto named = launch_framework(arguments.framework);
  if (!arguments.framework.empty() && !named)
    refuse_argument("--to", launch_framework_names(), '"' + arguments.framework + '"');
  if (!arguments.out.empty() && !named)
    refuse_argument("--out", "--to beside it, since one framework's files are written", "none");
  const Experiment experiment = read_experiment(arguments.experiment);
  const ScheduleSpec& schedule = schedule_named(experiment, arguments.schedule);
  ExportAnswer answer{experiment.name, schedule.name, launches_of(experiment, schedule, named)};
  if (!any_is_written(answer.launches)) {
    answer.instead = launched_instead(experiment, schedule.name, named);
    if (named) throw Infeasible(refusal(launch_writer(*named), answer));
  }
  if (!arguments.out.empty())
    write_files(std::get<WrittenLaunch>(answer.launches.front().answer), arguments.out);
  return answer;
}

}  // namespace spillway
