#include "report/step/json.h"

#include "base/version.h"
#include "json/dumped.h"
#include "report/step/report_document.h"
#include "report/step/schedule_json.h"

namespace spillway {
namespace {

Json layout_json(const JobLayout& layout) {
  Json json = {{"ranks", layout.ranks}, {"microbatches", layout.microbatches}, {"replicas", layout.replicas}};
  const auto& on = layout.devices;
  json["tensor"] = on ? Json(on->tensor) : Json(nullptr);
  json["context"] = on ? Json(on->context) : Json(nullptr);
  json["expert"] = on ? Json(on->expert) : Json(nullptr);
  json["devices"] = on ? Json(on->all) : Json(nullptr);
  return json;
}

Json parameters_json(const std::vector<BlockParameters>& blocks) {
  if (blocks.empty()) return nullptr;
  Json json;
  for (const BlockParameters& block : blocks) json[block.block] = block.parameters;
  return json;
}

Json parameter_parts_json(const std::vector<BlockParameters>& blocks) {
  if (blocks.empty()) return nullptr;
  Json json;
  for (const BlockParameters& block : blocks)
    for (const ParameterPart& part : block.parts) json[block.block][std::string(part.name)] = part.parameters;
  return json;
}

Json fitted_json(const std::vector<FittedParameter>& fitted) {
  Json all = Json::array();
  for (const FittedParameter& f : fitted)
    all.push_back({{"pointer", f.pointer},
                   {"value", f.value},
                   {"schedule", f.schedule},
                   {"target_s", f.target.value()},
                   {"reached_s", f.reached.value()}});
  return all;
}

Json inputs_json(const std::vector<PlatformInput>& inputs) {
  Json all = Json::array();
  for (const PlatformInput& input : inputs)
    all.push_back({{"name", input.name},
                   {"value", input.value},
                   {"unit", input.unit},
                   {"kind", to_string(input.evidence)},
                   {"source", input.source}});
  return all;
}

// Counts cover all replicas. Tokens and images of the samples are either packed, and then useful, or dropped.
Json workload_json(const WorkloadUse& use) {
  const auto count = [&](std::uint64_t WorkloadTally::*of) {
    std::vector<double> by_draw;
    for (const WorkloadTally& draw : use.draws) by_draw.push_back(static_cast<double>(draw.*of));
    return figure_json(by_draw);
  };
  Json json = {{"pointer", use.pointer},
               {"samples", count(&WorkloadTally::samples)},
               {"clipped_samples", count(&WorkloadTally::clipped_samples)},
               {"images", count(&WorkloadTally::images)},
               {"dropped_images", count(&WorkloadTally::dropped_images)},
               {"useful_tokens", count(&WorkloadTally::useful_tokens)},
               {"dropped_tokens", count(&WorkloadTally::dropped_tokens)},
               {"computed_tokens", count(&WorkloadTally::computed_tokens)}};
  const WorkloadTally all = use.all();
  if (all.clips + all.dropped_clips == 0) return json;
  json["clips"] = count(&WorkloadTally::clips);
  json["dropped_clips"] = count(&WorkloadTally::dropped_clips);
  return json;
}

Json workloads_json(const std::vector<WorkloadUse>& uses) {
  Json all = Json::array();
  for (const WorkloadUse& use : uses) all.push_back(workload_json(use));
  return all;
}

Json terms_json(const std::optional<Terms>& terms) {
  if (!terms) return nullptr;
  return {
      {"moves_samples", terms->moves_samples}, {"knows_draw", terms->knows_draw}, {"chunks", terms->chunks}};
}

// Returns how model FLOPs are counted, or null if they are not computed.
Json flops_convention(const Evaluation& evaluation) {
  const bool counted = evaluation.schedules.front().draws.front().account.has_value();
  return counted ? Json(kFlopsConvention) : Json(nullptr);
}

}  // namespace

Json report_document(const Evaluation& evaluation) {
  Json schedules = Json::array();
  for (const ScheduleResult& schedule : evaluation.schedules)
    schedules.push_back(schedule_json(evaluation, schedule));
  return {
      {"schema", "spillway/report/2"},
      {"program", program_version()},
      {"experiment", evaluation.experiment},
      {"platform", value_or_null(evaluation.job.platform)},
      {"framework", value_or_null(evaluation.job.framework)},
      {"seed", evaluation.job.seed},
      {"draws", evaluation.schedules.front().draws.size()},
      {"layout", layout_json(evaluation.job.layout)},
      {"parameters", parameters_json(evaluation.job.parameters)},
      {"parameters_by_part", parameter_parts_json(evaluation.job.parameters)},
      {"baseline", evaluation.schedules[evaluation.baseline].name},
      {"fitted", fitted_json(evaluation.fitted)},
      {"assumptions", evaluation.assumptions},
      {"equal_terms", terms_json(evaluation.equal_terms)},
      {"flops_convention", flops_convention(evaluation)},
      {"inputs", inputs_json(evaluation.inputs)},
      {"workloads", workloads_json(evaluation.workloads)},
      {"warnings", warnings_json(evaluation.warnings)},
      {"schedules", schedules},
      {"references", references_json(evaluation)},
      {"split_alike", split_alike_json(evaluation)},
  };
}

std::string report_json(const Evaluation& evaluation) {
  return dumped(report_document(evaluation), 2) + '\n';
}

}  // namespace spillway
