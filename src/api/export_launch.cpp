#include "api/export_launch.h"

#include <filesystem>

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

std::string refusal(const LaunchWriter& writer, const LaunchReasons& reasons) {
  std::string text = writer.software() + " cannot express the experiment:";
  for (const std::string& reason : reasons) text += "\n  " + reason;
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
  const ScheduleSpec schedule = with_its_stages(experiment, schedule_named(experiment, arguments.schedule));
  ExportAnswer answer{experiment.name, schedule.name, {}};
  for (const LaunchWriter& writer : launch_writers())
    if (!named || writer.framework == *named)
      answer.launches.push_back({writer.framework, write_launch(experiment, schedule, writer.framework)});
  if (!named) return answer;
  const LaunchAnswer& only = answer.launches.front().answer;
  if (const auto* reasons = std::get_if<LaunchReasons>(&only))
    throw Infeasible(refusal(launch_writer(*named), *reasons));
  if (!arguments.out.empty()) write_files(std::get<WrittenLaunch>(only), arguments.out);
  return answer;
}

}  // namespace spillway
