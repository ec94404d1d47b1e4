// Mixtral (arXiv 2401.04088; transformers, models/mixtral): Mistral with experts in every layer.
#include "input/architecture/families.h"

namespace spillway {
namespace {

TextModel read_mixtral(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  model.attention = read_grouped_query_attention(config, model.hidden_size);
  Experts experts;
  experts.n_routed_experts = config.size("n_routed_experts", "num_local_experts");
  experts.num_experts_per_tok = config.size("num_experts_per_tok");
  experts.moe_intermediate_size = model.intermediate_size;
  model.experts = experts;
  config.expect_word("hidden_act", {"silu"});
  read_windows(config, model, {true});
  return model;
}

}  // namespace

extern const TextFamily kMixtral = {{"mixtral"}, read_mixtral};

}  // namespace spillway
