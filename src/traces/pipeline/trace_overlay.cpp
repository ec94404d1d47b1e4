#include "traces/pipeline/trace_overlay.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "json/dumped.h"
#include "json/json_text.h"

namespace spillway {
namespace {

using Json = nlohmann::ordered_json;

std::string pointer_of(std::size_t block) {
  return "/model/blocks/" + std::to_string(block);
}

std::string found_text(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list of " + std::to_string(value.size());
  return dumped(value);
}

// The blocks where they are a list, else nothing.
const Json* blocks_of(const Json& document) {
  const auto model = document.find("model");
  if (model == document.end() || !model->is_object()) return nullptr;
  const auto blocks = model->find("blocks");
  return blocks != model->end() && blocks->is_array() ? &*blocks : nullptr;
}

// Layers that the reader of experiments will take, too.
bool names_layers(const Json& block) {
  const auto layers = block.find("layers");
  return layers != block.end() && layers->is_number_unsigned() && *layers > 0 &&
         *layers <= std::numeric_limits<std::uint32_t>::max();
}

// Objects key by key, one level deep; anything else replaces what was there.
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

// The list `above`, then what `below` has beside it: entries of other names. `above` alone where it is no
// list, for the reader to refuse.
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

}  // namespace

std::string stage_name(std::size_t stage) {
  return "stage-" + std::to_string(stage);
}

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

}  // namespace spillway
