#include "input/platform/framework_reader.h"

#include <array>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "input/platform/sourced.h"
#include "json/changed_document.h"
#include "platform/framework_figures.h"

namespace spillway {
namespace {

constexpr Range kTwoOrFour{.at_least = 2, .at_most = 4, .expected = "2 or 4"};

void read_attention_choice(const Place& place, Framework& framework) {
  const Fields fields(place, {"kernel", "kind", "source", "otherwise"});
  const auto kernel = fields.need("kernel", read_text);
  const auto kind = fields.need("kind", read_evidence);
  const auto source = fields.need("source", read_text);
  if (const auto otherwise = fields.get("otherwise", read_text)) {
    framework.own_attention_otherwise = true;  // so that a wrong word is the only complaint
    if (*otherwise != "accelerator")
      place.findings->add(child(place.pointer, "otherwise"), "\"accelerator\"", in_quotes(*otherwise));
  }
  if (kernel && kind && source) framework.attention = Sourced<std::string>{*kernel, *kind, *source};
}

// Returns a reader of { "value", "kind", "source" }, for Fields.
template <class Value, class Read>
auto stated_as(Read read) {
  return [read](const Place& place) -> std::optional<Sourced<Value>> {
    const Fields fields(place, {"value", "kind", "source"});
    const auto value = fields.need("value", read);
    const auto kind = fields.need("kind", read_evidence);
    const auto source = fields.need("source", read_text);
    if (!value || !kind || !source) return std::nullopt;
    return Sourced<Value>{*value, *kind, *source};
  };
}

std::optional<PadsTo> read_pads_to(const Place& place) {
  return read_choice<PadsTo>(place, kPadsTos);
}

std::optional<GraphCover> read_cover(const Place& place) {
  if (!std::holds_alternative<List>(place.node->value)) return read_choice<GraphCover>(place, kGraphWords);
  GraphCover cover;
  const auto parts = read_list(place).value_or(std::vector<Place>{});
  for (const Place& one : parts) {
    const auto part = read_choice<GraphPart>(one, kGraphParts);
    if (!part) return std::nullopt;
    cover = cover.with(*part);
  }
  if (parts.empty()) place.refuse("a part of a layer, or \"none\"");
  return cover;
}

std::optional<Sourced<GraphCover>> read_graphs(const Place& place) {
  const Fields fields(place, {"covers", "kind", "source"});
  const auto cover = fields.need("covers", read_cover);
  const auto kind = fields.need("kind", read_evidence);
  const auto source = fields.need("source", read_text);
  if (!cover || !kind || !source) return std::nullopt;
  return Sourced<GraphCover>{*cover, *kind, *source};
}

constexpr std::array<std::pair<std::string_view, bool>, 2> kLossGradients{
    {{"forward", true}, {"backward", false}}};

std::optional<ChunkedLoss> read_chunked_loss(const Place& place) {
  const Fields fields(place, {"gradients", "kind", "source", "chunks"});
  const auto forward =
      fields.need("gradients", [](const Place& p) { return read_choice<bool>(p, kLossGradients); });
  const auto kind = fields.need("kind", read_evidence);
  const auto source = fields.need("source", read_text);
  const auto chunks = fields.get("chunks", sourced(1.0, kPositive));
  if (!forward || !kind || !source) return std::nullopt;
  return ChunkedLoss{*forward, *kind, *source, chunks};
}

// "any", or model_types.
void read_image_families(const Place& place, TrainedModels& models) {
  if (const auto* word = std::get_if<std::string>(&place.node->value)) {
    models.any_images = true;
    if (*word != "any") place.refuse("\"any\", or a list of model_types");
    return;
  }
  const auto families = read_list(place).value_or(std::vector<Place>{});
  for (const Place& one : families)
    if (auto family = read_text(one)) models.images.push_back(*std::move(family));
}

std::optional<TrainedModels> read_trained_models(const Place& place) {
  const Fields fields(place, {"text", "images", "kind", "source"});
  TrainedModels models;
  const auto text = fields.need("text", read_boolean);
  fields.require("images");
  if (const auto images = fields.at("images")) read_image_families(*images, models);
  const auto kind = fields.need("kind", read_evidence);
  const auto source = fields.need("source", read_text);
  if (!text || !kind || !source) return std::nullopt;
  if (!*text && !models.trains_images()) place.refuse("text, or a family of images");
  models.text = *text;
  models.evidence = *kind;
  models.source = *source;
  return models;
}

constexpr std::array<std::pair<std::string_view, bool>, 2> kEncoderFirst{{{"first", true}, {"any", false}}};

std::optional<PlacedStages> read_placed_stages(const Place& place) {
  const Fields fields(place, {"layers", "encoder", "kind", "source"});
  const auto layers = fields.need(
      "layers", [](const Place& p) { return read_choice<StageLayerCounts>(p, kStageLayerCounts); });
  const auto first =
      fields.get("encoder", [](const Place& p) { return read_choice<bool>(p, kEncoderFirst); });
  const auto kind = fields.need("kind", read_evidence);
  const auto source = fields.need("source", read_text);
  if (!layers || !kind || !source) return std::nullopt;
  return PlacedStages{*layers, first.value_or(false), *kind, *source};
}

using Keys = std::vector<std::string_view>;

// Returns the object that holds a key, "hidden" for one; empty for keys of the framework itself.
std::string_view object_of(std::string_view key) {
  const std::size_t slash = key.find('/');
  return slash == std::string_view::npos ? std::string_view() : key.substr(0, slash);
}

// Returns the numbers that an object holds.
Keys keys_in(std::string_view object) {
  Keys keys;
  const auto add = [&](const auto& form, const auto&) {
    if (object_of(form.key) == object) keys.push_back(form.key.substr(object.size() + 1));
  };
  const Framework none;
  each_host_time(none, add);
  each_other_figure(none, add);
  return keys;
}

Keys step_end_keys() {
  Keys keys = keys_in("step_end");
  for (const char* key : {"reductions", "gradients", "parameters"}) keys.emplace_back(key);
  return keys;
}

Keys sharding_keys() {
  Keys keys = keys_in("sharding");
  for (const char* key : {"weights", "reduces", "synchronizes"}) keys.emplace_back(key);
  return keys;
}

// Reads a choice of software: a word, with its evidence.
template <class Choice, class Words>
auto choice_of(const Words& words) {
  return [&words](const Place& place) -> std::optional<Sourced<Choice>> {
    const Fields fields(place, {"value", "kind", "source"});
    const auto value =
        fields.need("value", [&](const Place& word) { return read_choice<Choice>(word, words); });
    const auto kind = fields.need("kind", read_evidence);
    const auto source = fields.need("source", read_text);
    if (!value || !kind || !source) return std::nullopt;
    return Sourced<Choice>{*value, *kind, *source};
  };
}

Keys framework_keys() {
  Keys keys = {"schema", "name", "note"};
  const auto add = [&](const auto& form, const auto&) {
    if (object_of(form.key).empty()) keys.push_back(form.key);
  };
  const Framework none;
  each_host_time(none, add);
  for (const char* key :
       {"graphs", "attention", "pads_values", "kernels_per_expert", "fused_loss", "chunked_loss",
        "recompute_stops_early", "scatter_gather", "attends_across_documents", "pads_to"})
    keys.push_back(key);
  each_other_figure(none, add);
  for (const char* key :
       {"hidden", "step_end", "sharding", "operators", "encoder_operators", "models", "stages", "dispatch"})
    keys.push_back(key);
  return keys;
}

const Range& range_of(FigureRange range) {
  if (range == FigureRange::Share) return kShare;
  return range == FigureRange::TwoOrFour ? kTwoOrFour : kNotNegative;
}

// Reads the numbers of a list (framework_figures.h).
class FigureReader {
 public:
  explicit FigureReader(const Fields& fields) : fields_(fields) {}

  template <class Value>
  void operator()(const FigureForm<Value>& form, auto& figure) {
    const auto read = sourced(form.unit, range_of(form.range));
    const std::string_view object = object_of(form.key);
    if (object.empty()) return take(fields_.get(form.key, read), figure);
    const std::string_view key = form.key.substr(object.size() + 1);
    if (const Fields* inner = inside(object)) take(inner->get(key, read), figure);
  }

  const Fields* inside(std::string_view object) {
    std::optional<Fields>& inner = inside_[object];
    const auto place = fields_.at(object);
    if (!place) return nullptr;
    if (!inner) inner.emplace(*place, keys_of(object));
    return &*inner;
  }

 private:
  static Keys keys_of(std::string_view object) {
    if (object == "hidden") return keys_in(object);
    return object == "sharding" ? sharding_keys() : step_end_keys();
  }
  static void take(auto&& stated, auto& figure) {
    if (stated) figure = *std::forward<decltype(stated)>(stated);
  }

  const Fields& fields_;
  std::map<std::string_view, std::optional<Fields>> inside_;
};

OperatorExecution read_execution(const Place& place, bool moves_bytes) {
  const Fields fields(place, {"forward_kernels", "input_gradient_kernels", "weight_gradient_kernels",
                              "traffic", "gradient_traffic", "live", "gradient_live", "waits",
                              "forward_host_us", "gradient_host_us", "gradient_sum_bytes"});
  const auto figure = sourced(1.0, kPositive);
  OperatorExecution execution{fields.get("forward_kernels", figure),
                              fields.get("input_gradient_kernels", figure),
                              fields.get("weight_gradient_kernels", figure)};
  execution.waits = fields.get("waits", sourced(1.0, kNotNegative));
  execution.forward_host = fields.get("forward_host_us", sourced(microseconds(1), kNotNegative));
  execution.gradient_host = fields.get("gradient_host_us", sourced(microseconds(1), kNotNegative));
  execution.gradient_sum = fields.get("gradient_sum_bytes", sourced(Bytes(1), kPositive));
  if (moves_bytes) {
    execution.traffic = fields.get("traffic", figure);
    execution.gradient_traffic = fields.get("gradient_traffic", figure);
    execution.live = fields.get("live", figure);
    execution.gradient_live = fields.get("gradient_live", figure);
  } else {
    for (const char* key : {"traffic", "gradient_traffic", "live", "gradient_live"})
      fields.forbid(key, "no such key, since matrix products and attention have no traffic factor");
  }
  return execution;
}

void read_executions(const Place& place, Framework::Operators& operators) {
  for (const auto& [name, execution] : read_members(place)) {
    if (is_operator_name(name))
      operators.emplace(name, read_execution(execution, is_bound_by_memory(name) || is_scan(name)));
    else
      place.findings->add(execution.pointer, "an operator: " + operator_names(), "this key");
  }
}

std::optional<Framework> read_unchecked_framework(const Fields& fields) {
  require_schema(fields, "spillway/framework/1");
  fields.get("note", read_text);
  const auto name = fields.need("name", read_text);
  Framework framework;
  FigureReader read_figure(fields);
  each_host_time(framework, read_figure);
  framework.graphs = fields.get("graphs", read_graphs);
  if (const auto attention = fields.at("attention")) read_attention_choice(*attention, framework);
  framework.pads_values = fields.get("pads_values", read_boolean).value_or(framework.pads_values);
  framework.kernels_per_expert =
      fields.get("kernels_per_expert", read_boolean).value_or(framework.kernels_per_expert);
  framework.fused_loss = fields.get("fused_loss", read_boolean).value_or(framework.fused_loss);
  framework.chunked_loss = fields.get("chunked_loss", read_chunked_loss);
  framework.recompute_stops_early =
      fields.get("recompute_stops_early", read_boolean).value_or(framework.recompute_stops_early);
  framework.scatter_gather = fields.get("scatter_gather", read_boolean).value_or(framework.scatter_gather);
  framework.attends_across_documents = fields.get("attends_across_documents", stated_as<bool>(read_boolean))
                                           .value_or(framework.attends_across_documents);
  framework.pads_to = fields.get("pads_to", stated_as<PadsTo>(read_pads_to)).value_or(framework.pads_to);
  each_other_figure(framework, read_figure);
  if (const Fields* end = read_figure.inside("step_end")) {
    framework.reductions = end->need("reductions", choice_of<ReductionStart>(kReductionStarts));
    framework.gradient_sum = end->get("gradients", choice_of<GradientSum>(kGradientSums));
    framework.parameters = end->get("parameters", choice_of<ParameterReturn>(kParameterReturns));
  }
  if (const Fields* shards = read_figure.inside("sharding")) {
    framework.sharding.weights = shards->get("weights", choice_of<ShardedWeights>(kShardedWeights));
    framework.sharding.reduces = shards->get("reduces", choice_of<ShardReduces>(kShardReduces));
    framework.sharding.waits = shards->get("synchronizes", choice_of<LayerWait>(kLayerWaits));
  }
  if (const auto operators = fields.at("operators")) read_executions(*operators, framework.operators);
  if (const auto operators = fields.at("encoder_operators"))
    read_executions(*operators, framework.encoder_operators);
  framework.models = fields.get("models", read_trained_models);
  framework.stages = fields.get("stages", read_placed_stages);
  framework.dispatch = fields.get("dispatch", choice_of<ExpertDispatch>(kExpertDispatches));
  if (!name) return std::nullopt;
  framework.name = *name;
  return framework;
}

}  // namespace

std::optional<Framework> read_framework(const Place& place) {
  return read_unchecked_framework(Fields(place, framework_keys()));
}

Framework read_framework(const std::string& path, const Object& changes, const Files& files) {
  return read_changed_document<Framework>(path, "framework", changes, files, read_framework);
}

}  // namespace spillway
