// Keys as Ascend/MindSpeed-MM @57069cd55a, examples/internvl3.5, qwen3vl and qwen3_5. Its Qwen3-VL recomputes
// every layer, whatever the settings say (mindspeed_mm/models/transformers/qwen3vl/qwen3vl.py, _fully_shard).
// Test: tests/launch/mm_fsdp_test.cpp.
#include "launch/megatron/mm_fsdp.h"

#include <algorithm>
#include <array>

#include "launch/command/json_members.h"
#include "launch/megatron/mm_model.h"
#include "launch/megatron/mm_settings.h"

namespace spillway {
namespace {

constexpr std::string_view kSource = "Ascend/MindSpeed-MM @57069cd55a, ";

bool names_tower(const std::string& module) {
  return module.find("visual") != std::string::npos || module.find("vision") != std::string::npos ||
         module.find("image_encoder") != std::string::npos;
}

bool any_tower(const std::vector<std::string>& modules) {
  return std::ranges::any_of(modules, names_tower);
}

Node stated_word(const char* value, const std::string& source) {
  Object word;
  add_member(word, "value", value);
  add_member(word, "kind", "derived");
  add_member(word, "source", std::string(kSource) + source);
  return {std::move(word)};
}

}  // namespace

std::optional<MmModelFolder> mm_model_folder(Arguments& arguments) {
  for (const char* name : {"mm.init_from_hf_path", "mm.model_name_or_path"})
    for (const LaunchArgument& argument : arguments.all())
      if (argument.name == name) return MmModelFolder{arguments.word(name).value_or(""), place_of(argument)};
  return std::nullopt;
}

MegatronEncoder mm_encoder_of_file(Arguments& arguments) {
  pass_over_mm_replaced(arguments);
  MegatronEncoder encoder;
  const bool frozen = arguments.flag("mm.image_encoder.vision_encoder.freeze");
  encoder.trainable = !frozen && !any_tower(arguments.words("mm.freeze"));
  const bool planned = any_tower(arguments.words("fsdp2.recompute_modules"));
  encoder.recomputed = encoder.trainable && (planned || recomputes_every_layer(arguments.all()));
  encoder.rule = mm_image_bounds(arguments);
  if (arguments.has("--use-torch-fsdp2")) encoder.framework = "mindspeed-mm-fsdp2";
  return encoder;
}

bool mm_trains_backbone(Arguments& arguments) {
  const bool frozen = arguments.flag("mm.text_decoder.freeze");
  const std::vector<std::string> modules = arguments.words("mm.freeze");
  return !frozen && std::ranges::none_of(modules, [](const std::string& module) {
    return module.find("language_model") != std::string::npos;
  });
}

Object mm_fsdp_changes(Arguments& arguments) {
  Object changes;
  const std::string id = arguments.known_word("mm.model_id").value_or("");
  const auto reentrant = arguments.known_word("fsdp2.use_reentrant");
  const bool own_checkpoints = arguments.has("--fsdp2-config-path");
  if (own_checkpoints && reentrant.value_or("true") == "true")
    add_member(changes, "/recompute_stops_early", false);
  const bool tower = arguments.flag("mm.image_encoder.vision_encoder.synchronize_per_layer");
  const bool waits = arguments.flag("mm.text_decoder.synchronize_per_layer");
  if ((tower || waits) && id.starts_with("qwen3_vl"))
    add_member(changes, "/sharding/synchronizes",
               stated_word("device",
                           "synchronize_per_layer: modeling_qwen3_vl.py waits for the device where a "
                           "layer's forward begins"));
  return changes;
}

}  // namespace spillway
