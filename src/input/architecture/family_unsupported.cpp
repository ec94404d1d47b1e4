// Families whose language models compute what no architecture here expresses. A record names the keys and the
// reason, so that a report does not list the rest of the file as unknown.
#include <array>
#include <string>

#include "input/architecture/families.h"

namespace spillway {
namespace {

void refuse_for(ConfigSection& config, std::string_view key, std::string reason) {
  config.refuse(key, std::move(reason), config.has(key) ? "a value" : "nothing");
}

// Sizes, so that a sound record goes on to the report.
TextModel unsupported(ConfigSection& config) {
  config.pass_over_rest();
  return {};
}

TextModel read_kimi_k3(ConfigSection& config) {
  refuse_for(config, "attn_res_block_size",
             "no residuals from earlier blocks of layers: a pipeline stage would receive the output of every "
             "block before it, and transfers between stages carry one hidden state");
  return unsupported(config);
}

TextModel read_gemma3n(ConfigSection& config) {
  refuse_for(config, "altup_num_inputs",
             "no AltUp, which carries several hidden states from layer to layer: transfers between stages "
             "carry one");
  refuse_for(config, "hidden_size_per_layer_input",
             "no embeddings of every layer: all stages would need a table that lies on the first");
  refuse_for(config, "num_kv_shared_layers",
             "no keys and values shared between layers: they would pass from stage to stage");
  return unsupported(config);
}

TextModel read_ernie4_5_vl(ConfigSection& config) {
  refuse_for(
      config, "moe_num_experts",
      "no experts of two widths that the kind of a token chooses: a layer has experts of one width, and "
      "routes all tokens alike");
  return unsupported(config);
}

VisionTower read_mobilenet(ConfigSection& config) {
  refuse_for(config, "architecture",
             "no convolutional tower (MobileNet): towers are transformers over patches");
  config.pass_over_rest();
  return {};
}

AudioTower read_conformer(ConfigSection& config) {
  refuse_for(
      config, "conf_num_hidden_layers",
      "no conformer: its convolutions along time between attention and feed-forward are not expressed");
  config.pass_over_rest();
  return {};
}

constexpr std::array<std::string_view, 3> kAroundGemma3n = {"audio_soft_tokens_per_image",
                                                            "vision_soft_tokens_per_image", "eoi_token_id"};

}  // namespace

extern const TextFamily kKimiK3 = {{"kimi_k3"}, read_kimi_k3};
extern const TextFamily kGemma3n = {{"gemma3n_text", "gemma3n"}, read_gemma3n};
extern const VisionFamily kGemma3nTower = {{"gemma3n_vision"}, read_mobilenet, {}, kAroundGemma3n};
extern const AudioFamily kGemma3nAudio = {{"gemma3n_audio"}, read_conformer};
extern const TextFamily kErnie4_5Vl = {{"ernie4_5_moe_vl", "ernie4_5_vl_moe"}, read_ernie4_5_vl};

}  // namespace spillway
