#include "traces/pipeline/trace_experiment.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"
#include "json/dumped.h"
#include "schedule/schedule.h"
#include "traces/pipeline/listed_rows.h"
#include "traces/pipeline/stage_work.h"
#include "traces/pipeline/trace_overlay.h"

namespace spillway {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kDraws = 16;

double in_milliseconds(Seconds time) {
  return time.value() * 1e3;
}

Json profile(const StageMeans& means, std::uint32_t layers) {
  return {{"forward_ms", in_milliseconds(means.forward) / layers},
          {"input_gradient_ms", in_milliseconds(means.input_gradient) / layers},
          {"weight_gradient_ms", in_milliseconds(means.weight_gradient) / layers}};
}

Json measured_work_json(const MeasuredWork& work) {
  Json steps = Json::array();
  for (const auto& replicas : work) {
    Json& step = steps.emplace_back(Json::array());
    for (const auto& microbatches : replicas) {
      Json& replica = step.emplace_back(Json::array());
      for (const PassFactors& factors : microbatches)
        replica.push_back(Json::array({factors.forward, factors.backward}));
    }
  }
  return steps;
}

Json block(const MeasuredPipeline& pipeline, std::size_t stage, const StageMeans& means,
           std::uint32_t layers) {
  return {{"name", stage_name(stage)},
          {"role", "backbone"},
          {"layers", layers},
          {"profile", profile(means, layers)},
          {"measured_work", measured_work_json(measured_work(pipeline, stage, means))}};
}

Json blocks(const MeasuredPipeline& pipeline, const std::vector<std::uint32_t>& layers) {
  const std::vector<StageMeans> means = stage_means(pipeline);
  Json all = Json::array();
  for (std::size_t stage = 0; stage < means.size(); ++stage)
    all.push_back(block(pipeline, stage, means[stage], layers[stage]));
  return all;
}

std::size_t regions_of(const std::string& schedule) {
  const auto parsed = parse_schedule(schedule);
  const auto* known = std::get_if<Schedule>(&parsed);
  ensure(known != nullptr, "a match is a schedule");
  return known->skeletons.size();
}

// Regions are as many stages each, one after another, and end where the stages do.
Json measured_schedule(const MeasuredJob& job, const std::vector<std::uint32_t>& layers) {
  Json schedule = {{"name", "measured"}, {"schedule", job.schedule.schedule}};
  const std::size_t regions = regions_of(job.schedule.schedule);
  Json cut = Json::array();
  std::uint32_t end = 0;
  for (std::size_t stage = 0; stage + 1 < layers.size(); ++stage) {
    end += layers[stage];
    if ((stage + 1) % (layers.size() / regions) == 0) cut.push_back(end);
  }
  if (regions > 1) schedule["cut"] = cut;
  const bool even = std::adjacent_find(layers.begin(), layers.end(), std::not_equal_to<>()) == layers.end();
  if (!even) schedule["layers_per_rank"] = layers;
  if (job.schedule.microbatch_group > 0) schedule["microbatch_group"] = job.schedule.microbatch_group;
  if (job.schedule.schedule == "listed") schedule["actions"] = listed_rows(job.pipeline.placement);
  return schedule;
}

Json assumptions(const MeasuredJob& job) {
  const MeasuredPipeline& pipeline = job.pipeline;
  const std::string microbatches = std::to_string(pipeline.microbatches);
  Json all = {"measured: " + std::to_string(pipeline.steps.size()) + " steps of a replica, each of " +
                  microbatches + " microbatches on " + std::to_string(pipeline.stages) + " stages",
              "a draw is one step at random; each replica takes any where there are not " +
                  std::to_string(pipeline.replicas) +
                  ", and its microbatches are drawn with replacement where there are not " + microbatches,
              "the time of a stage is spread evenly over the layers of its block"};
  if (!splits_backward(pipeline))
    all.push_back("half of a backward is the gradient of the input, half that of the weights");
  if (!median_transfer(pipeline))
    all.push_back("transfers take no time, since none has both its sides in the trace");
  for (const auto* notes : {&job.notes, &job.pipeline.notes})
    for (const Note& note : *notes)
      if (note.kind != NoteKind::Read) all.push_back(to_string(note));
  all.push_back("collectives among replicas, the optimizer and host time are left out");
  return all;
}

Json network(const MeasuredJob& job) {
  return {{"p2p_ms", in_milliseconds(median_transfer(job.pipeline).value_or(Seconds()))},
          {"reduction_ms", 0},
          {"p2p", to_string(job.point_to_point)}};
}

Json document(const MeasuredJob& job, const std::vector<std::uint32_t>& layers) {
  const MeasuredPipeline& pipeline = job.pipeline;
  return {
      {"schema", "spillway/experiment/1"},
      {"name", job.name},
      {"assumptions", assumptions(job)},
      {"pipeline",
       {{"ranks", pipeline.ranks}, {"microbatches", pipeline.microbatches}, {"replicas", pipeline.replicas}}},
      {"model", {{"blocks", blocks(pipeline, layers)}}},
      {"network", network(job)},
      {"draws", kDraws},
      {"schedules", Json::array({measured_schedule(job, layers)})},
      {"baseline", "measured"}};
}

std::vector<std::uint32_t> default_layers(const MeasuredPipeline& pipeline) {
  return std::vector<std::uint32_t>(pipeline.stages, trace_layers(pipeline));
}

}  // namespace

std::uint32_t trace_layers(const MeasuredPipeline& pipeline) {
  return 2 * pipeline.ranks;
}

std::string trace_experiment(const MeasuredJob& job) {
  return dumped(document(job, default_layers(job.pipeline)));
}

std::string trace_experiment(const MeasuredJob& job, const std::string& text, const std::string& file) {
  const TraceOverlay overlay(text, file, default_layers(job.pipeline));
  return overlay.over(dumped(document(job, overlay.layers())));
}

}  // namespace spillway
