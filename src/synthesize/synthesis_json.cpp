#include <nlohmann/json.hpp>
#include <string>

#include "base/version.h"
#include "evaluate/memory_limit.h"
#include "evaluate/steps.h"
#include "json/dumped.h"
#include "report/run/page_json.h"
#include "report/step/figure_json.h"
#include "synthesize/synthesize.h"

namespace spillway {
namespace {

using SynthesisJson = nlohmann::ordered_json;

SynthesisJson left_out_json(const std::vector<LeftOut>& all) {
  SynthesisJson json = SynthesisJson::array();
  for (const LeftOut& one : all) json.push_back({{"schedule", one.schedule}, {"reason", one.reason}});
  return json;
}

SynthesisJson difference_json(const OrderDifference& one) {
  return {{"owners", one.owners},
          {"encodes_inside", one.encodes_inside},
          {"named_encodes_inside", one.named_encodes_inside},
          {"backwards_inside", one.backwards_inside},
          {"named_backwards_inside", one.named_backwards_inside},
          {"moved", one.moved},
          {"moved_weights", one.moved_weights},
          {"changed_place", one.changed_place},
          {"passes", one.passes}};
}

SynthesisJson progress_json(const std::vector<SearchProgress>& all) {
  SynthesisJson json = SynthesisJson::array();
  for (const SearchProgress& one : all) json.push_back({{"effort", one.tries}, {"step_s", one.step.value()}});
  return json;
}

SynthesisJson seconds_json(const std::vector<Seconds>& all) {
  std::vector<double> numbers;
  for (const Seconds one : all) numbers.push_back(one.value());
  return figure_json(numbers);
}

SynthesisJson steps_json(const ScheduleResult& schedule) {
  std::vector<double> all;
  for (const DrawResult& draw : schedule.draws) all.push_back(draw.step.makespan.value());
  return figure_json(all);
}

SynthesisJson draws_json(const Synthesis& synthesis) {
  if (!synthesis.draws) return {};
  const ScheduleResult& named = synthesis.best_knowing();
  return {{"makespan_s", seconds_json(synthesis.draws->steps)},
          {"lower_bound_s", seconds_json(synthesis.draws->bounds)},
          {"best_named", {{"name", named.name}, {"makespan_s", steps_json(named)}}},
          {"speedup", figure_json(speedups_of(*synthesis.draws, named))},
          {"stages", synthesis.draws->stages},
          {"tries", synthesis.draws->tries}};
}

SynthesisJson fits_json(const Synthesis& synthesis, const ScheduleResult& schedule) {
  const auto fitting = fits(synthesis.evaluation, schedule);
  return fitting ? SynthesisJson(*fitting) : SynthesisJson();
}

SynthesisJson document_or_null(const std::string& text) {
  return text.empty() ? SynthesisJson() : undumped(text);
}

}  // namespace

std::string synthesis_json(const Synthesis& synthesis, const std::string& program) {
  const ScheduleResult &found = synthesis.found(), &named = synthesis.best_named();
  const Seconds bound = synthesis.bound;
  const auto peak = worst_peak(found);
  return dumped(SynthesisJson{{"schema", "spillway/synthesis/1"},
                              {"program_version", program_version()},
                              {"experiment", synthesis.evaluation.experiment},
                              {"makespan_s", steps_json(found)},
                              {"lower_bound_s", bound.value()},
                              {"gap", gap_to_bound(mean_makespan(found), bound)},
                              {"optimal", synthesis.optimal},
                              {"best_named",
                               {{"name", named.name},
                                {"makespan_s", steps_json(named)},
                                {"fits", fits_json(synthesis, named)}}},
                              {"speedup", figure_json(speedups_over(named, found))},
                              {"starts", synthesis.starts},
                              {"nearest", synthesis.nearest},
                              {"made", synthesis.made},
                              {"is_named", synthesis.is_named},
                              {"difference", difference_json(synthesis.different)},
                              {"planned_s", synthesis.planned.value()},
                              {"planned_named_s", synthesis.named.value()},
                              {"schedule", document_or_null(synthesis.entry)},
                              {"program", document_or_null(program)},
                              {"peak_memory_bytes",
                               peak ? SynthesisJson(peak->peak.parts.total().value()) : SynthesisJson()},
                              {"fits", fits_json(synthesis, found)},
                              {"effort", synthesis.tries},
                              {"seed", synthesis.seed},
                              {"progress", progress_json(synthesis.progress)},
                              {"each_draw", draws_json(synthesis)},
                              {"left_out", left_out_json(synthesis.left_out)}},
                2) +
         '\n';
}

std::string synthesis_page(const Synthesis& synthesis) {
  return page_json(synthesis.evaluation,
                   {.verdict = verdict(synthesis), .synthesis = synthesis_json(synthesis, "")});
}

}  // namespace spillway
