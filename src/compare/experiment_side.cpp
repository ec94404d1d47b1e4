#include <cmath>
#include <utility>

#include "compare/parts.h"
#include "compare/read_sides.h"
#include "compare/written_out.h"
#include "report/step/drawn_figures.h"

namespace spillway {
namespace {

std::vector<SideFigure> drawn_figures_of(const Evaluation& evaluation, const ScheduleResult& schedule) {
  std::vector<SideFigure> figures;
  for (const DrawnFigure& figure : drawn_figures()) {
    std::optional<std::vector<double>> values = figure.by_draw(evaluation, schedule);
    if (!values) continue;
    const double shown = figure.shown(*values);
    if (!std::isfinite(shown)) continue;
    if (figure.over == OverDraws::Most) values->clear();
    figures.push_back({std::string(figure.key), shown, *std::move(values)});
  }
  return figures;
}

Parts critical_path_of(const ScheduleResult& schedule) {
  std::vector<CriticalPathShares> draws;
  for (const DrawResult& draw : schedule.draws) draws.push_back(draw.critical_path);
  return critical_path_parts(draws);
}

SideRun run_of_schedule(const Evaluation& evaluation, ScheduleResult& schedule) {
  SideRun run{.name = schedule.name,
              .figures = drawn_figures_of(evaluation, schedule),
              .parts = {critical_path_of(schedule), std::nullopt, std::nullopt},
              .ranks = {},
              .events = SideEvents{schedule.derived, {}}};
  run.events->timeline = std::move(schedule.first.timeline);
  run.ranks = times_by_rank(*run.events);
  run.unranked = schedule.unranked;
  run.warnings = evaluation.warnings;
  run.warnings.insert(run.warnings.end(), schedule.warnings.begin(), schedule.warnings.end());
  return run;
}

Node layout_of(const JobLayout& layout) {
  const auto number = [](std::uint64_t value) { return Node{value}; };
  return {Object{{"layout",
                  {Object{{"ranks", number(layout.ranks)},
                          {"microbatches", number(layout.microbatches)},
                          {"replicas", number(layout.replicas)}}}}}};
}

}  // namespace

Side experiment_side(const std::string& file, Node document, Evaluation evaluation) {
  Side side{.file = file,
            .kind = SideKind::Experiment,
            .seed = evaluation.job.seed,
            .draws = evaluation.schedules.front().draws.size(),
            .stated = layout_of(evaluation.job.layout),
            .document = written_out(std::move(document), file),
            .runs = {}};
  for (ScheduleResult& schedule : evaluation.schedules)
    side.runs.push_back(run_of_schedule(evaluation, schedule));
  return side;
}

}  // namespace spillway
