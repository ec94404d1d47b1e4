#include "spec/architecture_reader.h"

#include "spec/document.h"
#include "spec/place.h"

namespace spillway {
namespace {

// The sizes of one section of a config.json. A missing or wrong one is reported and reads as 0.
class Sizes {
 public:
  Sizes(const Node* section, std::string pointer, Findings& findings)
      : object_(section ? std::get_if<Object>(&section->value) : nullptr),
        pointer_(std::move(pointer)),
        findings_(findings) {
    if (!object_) findings_.add(pointer_, "an object", section ? describe(*section) : "nothing");
  }

  std::uint32_t operator()(std::string_view key) const {
    const std::optional<Place> place = at(key);
    return place ? read_count(*place, 0).value_or(0) : 0;
  }

  double ratio(std::string_view key) const {
    const std::optional<Place> place = at(key);
    return place ? read_number(*place, kPositive).value_or(0) : 0;
  }

  const std::string& pointer() const { return pointer_; }

 private:
  std::optional<Place> at(std::string_view key) const {
    if (!object_) return std::nullopt;
    const std::string pointer = child(pointer_, key);
    if (const Node* node = find(*object_, key)) return Place{node, pointer, &findings_};
    findings_.add(pointer, "a value", "nothing");
    return std::nullopt;
  }

  const Object* object_;
  std::string pointer_;
  Findings& findings_;
};

DeepSeekV3 deepseek_v3(const Sizes& size) {
  return {.vocab_size = size("vocab_size"),
          .hidden_size = size("hidden_size"),
          .intermediate_size = size("intermediate_size"),
          .moe_intermediate_size = size("moe_intermediate_size"),
          .num_hidden_layers = size("num_hidden_layers"),
          .num_attention_heads = size("num_attention_heads"),
          .q_lora_rank = size("q_lora_rank"),
          .kv_lora_rank = size("kv_lora_rank"),
          .qk_nope_head_dim = size("qk_nope_head_dim"),
          .qk_rope_head_dim = size("qk_rope_head_dim"),
          .v_head_dim = size("v_head_dim"),
          .n_routed_experts = size("n_routed_experts"),
          .n_shared_experts = size("n_shared_experts"),
          .num_experts_per_tok = size("num_experts_per_tok"),
          .first_k_dense_replace = size("first_k_dense_replace")};
}

Qwen2VlVit qwen2_vl_vit(const Sizes& size) {
  return {.depth = size("depth"),
          .embed_dim = size("embed_dim"),
          .mlp_ratio = size.ratio("mlp_ratio"),
          .num_heads = size("num_heads"),
          .in_chans = size("in_chans"),
          .patch_size = size("patch_size"),
          .temporal_patch_size = size("temporal_patch_size"),
          .spatial_merge_size = size("spatial_merge_size"),
          .hidden_size = size("hidden_size")};
}

Qwen35Vision qwen35_vision(const Sizes& size) {
  return {.depth = size("depth"),
          .hidden_size = size("hidden_size"),
          .intermediate_size = size("intermediate_size"),
          .num_heads = size("num_heads"),
          .in_channels = size("in_channels"),
          .patch_size = size("patch_size"),
          .temporal_patch_size = size("temporal_patch_size"),
          .spatial_merge_size = size("spatial_merge_size"),
          .out_hidden_size = size("out_hidden_size"),
          .num_position_embeddings = size("num_position_embeddings")};
}

Qwen35Text qwen35_text(const Sizes& size) {
  return {.vocab_size = size("vocab_size"),
          .hidden_size = size("hidden_size"),
          .intermediate_size = size("intermediate_size"),
          .num_hidden_layers = size("num_hidden_layers"),
          .num_attention_heads = size("num_attention_heads"),
          .num_key_value_heads = size("num_key_value_heads"),
          .head_dim = size("head_dim"),
          .full_attention_interval = size("full_attention_interval"),
          .linear_conv_kernel_dim = size("linear_conv_kernel_dim"),
          .linear_key_head_dim = size("linear_key_head_dim"),
          .linear_value_head_dim = size("linear_value_head_dim"),
          .linear_num_key_heads = size("linear_num_key_heads"),
          .linear_num_value_heads = size("linear_num_value_heads")};
}

void set_layers(Qwen2VlVit& vit, std::uint32_t layers) {
  vit.depth = layers;
}
void set_layers(Qwen35Vision& vit, std::uint32_t layers) {
  vit.depth = layers;
}
void set_layers(DeepSeekV3& model, std::uint32_t layers) {
  model.num_hidden_layers = layers;
}
void set_layers(Qwen35Text& model, std::uint32_t layers) {
  model.num_hidden_layers = layers;
}

enum class Family { DeepSeekV3, Qwen2Vl, Qwen35 };

Family read_family(const Node& document, Findings& findings) {
  const Sizes exists(&document, "", findings);
  findings.throw_if_any();
  const Node* type = find(std::get<Object>(document.value), "model_type");
  if (!type) findings.add("/model_type", "a value", "nothing");
  findings.throw_if_any();
  const auto family = read_word({type, "/model_type", &findings}, {"deepseek_v3", "qwen2_vl", "qwen3_5"});
  findings.throw_if_any();
  return static_cast<Family>(*family);
}

// The section of the config.json that describes a block of this role.
std::string section_of(Family family, Role role) {
  if (family == Family::DeepSeekV3) return "";
  return role == Role::Encoder ? "/vision_config" : "/text_config";
}

Architecture architecture_of(Family family, Role role, const Sizes& sizes) {
  if (family == Family::DeepSeekV3) return deepseek_v3(sizes);
  if (family == Family::Qwen2Vl) return qwen2_vl_vit(sizes);
  if (role == Role::Encoder) return qwen35_vision(sizes);
  return qwen35_text(sizes);
}

}  // namespace

Architecture read_architecture(const std::string& path, Role role, std::optional<std::uint32_t> layers) {
  Findings findings(path);
  const std::optional<Node> document = read_json(path, findings);
  findings.throw_if_any();
  const Family family = read_family(*document, findings);
  const bool is_encoder = role == Role::Encoder;
  if ((family == Family::Qwen2Vl && !is_encoder) || (family == Family::DeepSeekV3 && is_encoder))
    findings.add("/model_type",
                 is_encoder ? "a vision tower for an encoder" : "a language model for a backbone",
                 describe(*find(std::get<Object>(document->value), "model_type")));
  findings.throw_if_any();
  const std::string section = section_of(family, role);
  const Node* node =
      section.empty() ? &*document : find(std::get<Object>(document->value), section.substr(1));
  Architecture architecture = architecture_of(family, role, Sizes(node, section, findings));
  findings.throw_if_any();
  if (layers) std::visit([&](auto& sizes) { set_layers(sizes, *layers); }, architecture);
  findings.add(located(check_architecture(architecture), path, section));
  findings.throw_if_any();
  return architecture;
}

}  // namespace spillway
