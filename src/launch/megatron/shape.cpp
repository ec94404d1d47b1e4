// Defaults as in megatron/training/arguments.py and megatron/core/transformer/transformer_config.py,
// NVIDIA/Megatron-LM @d98e8a64dd. Test: tests/launch/megatron_scripts_test.cpp.
#include "launch/megatron/shape.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/text.h"
#include "launch/command/architecture.h"

namespace spillway {
namespace {

std::uint32_t needed(Arguments& arguments, std::string_view name, const std::string& what) {
  const auto size = arguments.whole(name);
  if (!size && !arguments.has(name)) arguments.ask_for(name, what);
  return size.value_or(1);
}

// The first of several names of one argument that is given.
std::optional<std::uint32_t> either(Arguments& arguments, std::string_view name, std::string_view older) {
  const auto size = arguments.whole(name);
  return size ? size : arguments.whole(older);
}

// Megatron's --moe-layer-freq: a number, or a list such as [0]*3+[1]*58. Returns how many dense layers come
// first; nothing for other patterns.
std::optional<std::uint32_t> dense_first(std::string_view text, std::uint32_t layers) {
  if (text == "1") return 0;
  if (text.starts_with('(') && text.ends_with(')') && text.find('(', 1) == std::string_view::npos)
    text = text.substr(1, text.size() - 2);
  std::vector<std::pair<bool, std::uint32_t>> parts;  // is a mixture, how many layers
  for (std::string_view part : split(text, '+')) {
    part = trimmed(part);
    if (part.starts_with('(') && part.ends_with(')')) part = part.substr(1, part.size() - 2);
    const bool mixture = part.starts_with("[1]");
    if (!mixture && !part.starts_with("[0]")) return std::nullopt;
    part.remove_prefix(3);
    std::uint32_t times = 1;
    if (part.starts_with('*')) {
      times = 0;
      for (const char c : part.substr(1)) {
        if (c < '0' || c > '9' || times > 1000000) return std::nullopt;
        times = times * 10 + static_cast<std::uint32_t>(c - '0');
      }
    } else if (!part.empty()) {
      return std::nullopt;
    }
    parts.emplace_back(mixture, times);
  }
  std::uint64_t total = 0;
  for (const auto& [mixture, times] : parts) total += times;
  if (total != layers) return std::nullopt;
  if (parts.size() == 1) return parts[0].first ? 0 : layers;
  if (parts.size() != 2 || parts[0].first || !parts[1].first) return std::nullopt;
  return parts[0].second;
}

// MindSpeed's -1, as 0: a mixture in every layer (mindspeed_llm/core/transformer/transformer_block.py).
std::uint32_t first_dense(Arguments& arguments, std::uint32_t layers) {
  constexpr std::string_view kName = "--first-k-dense-replace";
  const auto text = arguments.known_word(kName);
  if (text && (*text == "-1" || *text == "0")) return 0;
  const std::uint32_t first = arguments.whole(kName).value_or(0);
  if (first >= layers)
    arguments.refuse(kName, "fewer than --num-layers, " + std::to_string(layers), std::to_string(first));
  return first;
}

MegatronExperts read_experts(Arguments& arguments, std::uint32_t routed, const MegatronShape& shape) {
  MegatronExperts experts;
  experts.routed = routed;
  experts.chosen = arguments.whole("--moe-router-topk").value_or(2);
  experts.inner = either(arguments, "--moe-ffn-hidden-size", "--moe-intermediate-size").value_or(shape.inner);
  experts.shared_inner = arguments.whole("--moe-shared-expert-intermediate-size").value_or(0);
  if (const auto shared = arguments.whole("--n-shared-experts"); shared && experts.shared_inner == 0)
    experts.shared_inner = static_cast<std::uint32_t>(std::min<std::uint64_t>(
        std::uint64_t{*shared} * experts.inner, std::numeric_limits<std::uint32_t>::max()));
  const bool gate = arguments.flag("--moe-shared-expert-gate");
  experts.shared_gate = arguments.flag("--shared-expert-gate") || gate;
  experts.routing_bias = arguments.flag("--moe-router-enable-expert-bias");
  experts.groups = either(arguments, "--moe-router-num-groups", "--n-group").value_or(1);
  experts.chosen_groups = either(arguments, "--moe-router-group-topk", "--topk-group").value_or(1);
  std::string frequency = arguments.word("--moe-layer-freq").value_or("1");
  if (frequency == "-1") frequency = "1";
  if (frequency == "1" && arguments.has("--first-k-dense-replace"))
    experts.dense_first = first_dense(arguments, shape.layers);
  else if (const auto dense = dense_first(frequency, shape.layers); dense && *dense < shape.layers)
    experts.dense_first = *dense;
  else
    arguments.refuse("--moe-layer-freq", "1, or [0]*N+[1]*M with N + M layers", '"' + frequency + '"');
  return experts;
}

MegatronLatents read_latents(Arguments& arguments) {
  MegatronLatents latents;
  latents.queries = arguments.whole("--q-lora-rank").value_or(0);
  latents.keys = arguments.whole("--kv-lora-rank").value_or(latents.keys);
  latents.head = either(arguments, "--qk-head-dim", "--qk-nope-head-dim").value_or(latents.head);
  latents.rotary_head =
      either(arguments, "--qk-pos-emb-head-dim", "--qk-rope-head-dim").value_or(latents.rotary_head);
  latents.value_head = arguments.whole("--v-head-dim").value_or(latents.value_head);
  return latents;
}

void read_layer(Arguments& arguments, MegatronShape& shape) {
  shape.gated = arguments.flag("--swiglu");
  if (const auto norm = arguments.word("--normalization")) {
    shape.rms_norm = *norm == "RMSNorm";
    if (!shape.rms_norm && *norm != "LayerNorm")
      arguments.refuse("--normalization", "LayerNorm or RMSNorm", '"' + *norm + '"');
  }
  const std::string positions =
      arguments.word("--position-embedding-type")
          .value_or(arguments.has("--use-rotary-position-embeddings") ? "rope" : "learned_absolute");
  shape.rotary = positions == "rope" || positions == "mrope" || positions == "yarn";
  if (!shape.rotary && positions != "learned_absolute")
    arguments.refuse("--position-embedding-type", "rope, yarn, mrope or learned_absolute",
                     '"' + positions + '"');
  shape.positions = shape.rotary ? 0 : needed(arguments, "--max-position-embeddings", "learned positions");
  shape.biases = !arguments.flag("--disable-bias-linear");
  shape.qkv_biases = arguments.flag("--add-qkv-bias");
  shape.head_norms = arguments.flag("--qk-layernorm");
  shape.ties_vocabulary = !arguments.flag("--untie-embeddings-and-output-weights");
}

void read_heads(Arguments& arguments, MegatronShape& shape) {
  shape.heads = needed(arguments, "--num-attention-heads", "attention heads");
  const auto groups = arguments.whole("--num-query-groups");
  // Without the flag the number has no effect, except that ms-swift and newer Megatron infer it.
  shape.groups = arguments.flag("--group-query-attention") || groups ? groups.value_or(1) : shape.heads;
  const auto head = arguments.whole("--kv-channels");
  if (!head && shape.width % shape.heads != 0)
    arguments.refuse("--num-attention-heads", "a divisor of the width " + std::to_string(shape.width),
                     std::to_string(shape.heads));
  shape.head = head.value_or(std::max(shape.width / shape.heads, 1U));
}

// Tokens of tokenizers whose type states them.
std::optional<std::uint32_t> tokens_of(Arguments& arguments) {
  const std::string type = arguments.known_word("--tokenizer-type")
                               .value_or(arguments.has("--merge-file") ? "GPT2BPETokenizer" : "");
  arguments.known_word("--vocab-file");
  arguments.known_word("--merge-file");
  if (const auto model = arguments.known_word("--tokenizer-model"))
    if (const auto shipped = shipped_model(*model))
      if (const auto config = config_of(*shipped)) return whole_of(*config, "vocab_size");
  if (type == "GPT2BPETokenizer") return 50257;  // OpenAI's GPT-2
  if (type == "Llama2Tokenizer") return 32000;   // arXiv 2307.09288, section 2.2
  return std::nullopt;
}

}  // namespace

std::uint32_t read_vocabulary(Arguments& arguments) {
  const auto padded = arguments.whole("--padded-vocab-size");
  const auto divisor = arguments.whole("--make-vocab-size-divisible-by");
  const auto tokens_known = tokens_of(arguments);
  auto tokens = arguments.whole("--vocab-size");
  if (padded) return *padded;
  if (!tokens) tokens = tokens_known;
  if (!tokens) {
    if (!arguments.has("--vocab-size"))
      arguments.ask_for("--vocab-size", "the number of tokens, which the tokenizer's files have");
    return 1;
  }
  const std::uint64_t multiple =
      std::uint64_t{divisor.value_or(128)} * arguments.whole("--tensor-model-parallel-size").value_or(1);
  const std::uint64_t vocabulary = (*tokens + multiple - 1) / multiple * multiple;
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(vocabulary, std::numeric_limits<std::uint32_t>::max()));
}

MegatronShape read_shape(Arguments& arguments) {
  MegatronShape shape;
  shape.layers = needed(arguments, "--num-layers", "layers of the model");
  shape.width = needed(arguments, "--hidden-size", "the width of the model");
  read_layer(arguments, shape);
  const auto inner = arguments.whole("--ffn-hidden-size");
  // Megatron's default for a gated one keeps the parameters of one without a gate.
  const std::uint64_t otherwise =
      shape.gated ? std::uint64_t{shape.width} * 4 * 2 / 3 / 64 * 64 : std::uint64_t{shape.width} * 4;
  shape.inner = inner.value_or(static_cast<std::uint32_t>(std::clamp<std::uint64_t>(otherwise, 1, 1U << 31)));
  read_heads(arguments, shape);
  const bool older = arguments.flag("--multi-head-latent-attention");
  if (arguments.flag("--multi-latent-attention") || older) shape.latents = read_latents(arguments);
  if (const auto routed = arguments.whole("--num-experts"))
    shape.experts = read_experts(arguments, *routed, shape);
  shape.vocabulary = read_vocabulary(arguments);
  return shape;
}

}  // namespace spillway
