#include "traces/pipeline/trace_experiment.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "json/dumped.h"
#include "json/json_text.h"
#include "schedule/schedule.h"
#include "traces/pipeline/stage_work.h"

namespace spillway {
namespace {

using Json = nlohmann::ordered_json;

// The name of a stage's block.
std::string stage_name(std::size_t stage) {
  return "stage-" + std::to_string(stage);
}

constexpr std::uint32_t kDraws = 16;
constexpr const char* kTraceOrder = "trace-order";

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

// All regions have the same number of stages, in order, and end at the end of a stage.
Json measured_schedule(const MeasuredJob& job, const std::vector<std::uint32_t>& layers) {
  Json schedule = {{"name", kTraceOrder}, {"schedule", job.schedule.schedule}};
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
      {"baseline", kTraceOrder}};
}

std::vector<std::uint32_t> default_layers(const MeasuredPipeline& pipeline) {
  return std::vector<std::uint32_t>(pipeline.stages, trace_layers(pipeline));
}

std::string pointer_of(std::size_t block) {
  return "/model/blocks/" + std::to_string(block);
}

std::string found_text(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list of " + std::to_string(value.size());
  return dumped(value);
}

// Returns the blocks if they are a list, otherwise nullptr.
const Json* blocks_of(const Json& document) {
  const auto model = document.find("model");
  if (model == document.end() || !model->is_object()) return nullptr;
  const auto blocks = model->find("blocks");
  return blocks != model->end() && blocks->is_array() ? &*blocks : nullptr;
}

// Returns true if the reader of experiments will accept the block's layers.
bool names_layers(const Json& block) {
  const auto layers = block.find("layers");
  return layers != block.end() && layers->is_number_unsigned() && *layers > 0 &&
         *layers <= std::numeric_limits<std::uint32_t>::max();
}

// Merges objects key by key, one level deep. Any other value replaces the one below it.
void lay_over(Json& below, const Json& above) {
  if (!below.is_object() || !above.is_object()) {
    below = above;
    return;
  }
  for (const auto& [key, value] : above.items()) below[key] = value;
}

void lay_block(Json& below, const Json& above) {
  for (const auto& [key, value] : above.items()) {
    if (key == "profile")
      lay_over(below[key], value);
    else
      below[key] = value;
  }
  const bool has_work =
      above.contains("work_per_microbatch") || above.contains("backward_work_per_microbatch");
  if (has_work && !above.contains("measured_work")) below.erase("measured_work");
}

void lay_model(Json& below, const Json& above) {
  const Json measured = below;
  lay_over(below, above);
  if (!blocks_of(Json{{"model", above}})) return;
  Json& blocks = below["blocks"] = measured["blocks"];
  for (std::size_t i = 0; i < blocks.size(); ++i) lay_block(blocks[i], above["blocks"][i]);
}

bool has_name(const Json& entry, const Json& name) {
  return entry.is_object() && entry.contains("name") && entry["name"] == name;
}

// Returns the list `above`, then the entries of `below` with other names. If `above` is no list, returns it
// alone, for the reader to refuse.
Json merged_lists(const Json& above, const Json& below) {
  if (!above.is_array()) return above;
  Json all = above;
  for (const Json& entry : below) {
    const auto same = [&](const Json& a) { return entry.is_object() && has_name(a, entry["name"]); };
    if (std::none_of(above.begin(), above.end(), same)) all.push_back(entry);
  }
  return all;
}

void lay_key(Json& document, const std::string& key, const Json& value) {
  if (key == "model")
    lay_model(document[key], value);
  else if (key == "pipeline" || key == "network")
    lay_over(document[key], value);
  else if (key == "schedules" || key == "assumptions")
    document[key] = merged_lists(value, document[key]);
  else
    document[key] = value;
}

// A user's experiment laid over one made from a trace (trace_experiment.h says how).
class TraceOverlay {
 public:
  // `layers` of each stage, used if the text does not set them. Throws InputError as trace_experiment does.
  TraceOverlay(const std::string& text, const std::string& file, std::vector<std::uint32_t> layers);

  // The layers of each stage, as the text sets them.
  const std::vector<std::uint32_t>& layers() const { return layers_; }

  // Returns the document, which has these layers, with the text laid over it.
  std::string over(const std::string& text_of_document) const;

 private:
  // Takes over the layers that the blocks set. Returns what is wrong with the blocks.
  std::vector<Violation> read_blocks();

  nlohmann::ordered_json changes_;
  std::string file_;
  std::vector<std::uint32_t> layers_;
};

TraceOverlay::TraceOverlay(const std::string& text, const std::string& file,
                           std::vector<std::uint32_t> layers)
    : file_(file), layers_(std::move(layers)) {
  check_json(text, file);
  changes_ = Json::parse(text);
  if (!changes_.is_object()) throw InputError({{file, "/", "an object", found_text(changes_)}});
  const std::vector<Violation> violations = read_blocks();
  if (!violations.empty()) throw InputError(violations);
}

std::vector<Violation> TraceOverlay::read_blocks() {
  const Json* blocks = blocks_of(changes_);
  if (!blocks) return {};
  const std::string names = stage_name(0) + " to " + stage_name(layers_.size() - 1);
  if (blocks->size() != layers_.size())
    return {{file_, "/model/blocks",
             std::to_string(layers_.size()) + " blocks, one for each stage of the trace, " + names,
             std::to_string(blocks->size())}};
  std::vector<Violation> violations;
  for (std::size_t i = 0; i < blocks->size(); ++i) {
    const Json& block = (*blocks)[i];
    const Json name = block.is_object() && block.contains("name") ? block["name"] : block;
    if (name != stage_name(i))
      violations.push_back({file_, pointer_of(i) + "/name", '"' + stage_name(i) + "\", a stage of the trace",
                            found_text(name)});
    else if (names_layers(block))
      layers_[i] = block["layers"].get<std::uint32_t>();
  }
  return violations;
}

std::string TraceOverlay::over(const std::string& text_of_document) const {
  Json document = Json::parse(text_of_document);
  for (const auto& [key, value] : changes_.items()) lay_key(document, key, value);
  return dumped(document);
}

}  // namespace

std::uint32_t trace_layers(const MeasuredPipeline& pipeline) {
  return 2 * pipeline.ranks;
}

std::vector<std::string> listed_rows(const PlacedOrders& placed) {
  std::vector<std::string> rows;
  for (const ActionRow& actions : to_action_lists(placed).rows) {
    std::string& row = rows.emplace_back();
    for (const auto& action : actions) add_to_list(row, to_string(*action), ",");
  }
  return rows;
}

std::string trace_experiment(const MeasuredJob& job) {
  return dumped(document(job, default_layers(job.pipeline)));
}

std::string trace_experiment(const MeasuredJob& job, const std::string& text, const std::string& file) {
  const TraceOverlay overlay(text, file, default_layers(job.pipeline));
  return overlay.over(dumped(document(job, overlay.layers())));
}

}  // namespace spillway
