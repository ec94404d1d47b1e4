// Phi-3 (arXiv 2404.14219; transformers, models/phi3), the language model of InternVL2-4B.
#include "input/architecture/families.h"

namespace spillway {
namespace {

// Both products of attention and feed-forward are stored as one; there are no biases.
TextModel read_phi3(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  model.attention = read_grouped_query_attention(config, model.hidden_size);
  config.expect_word("hidden_act", {"silu"});
  config.expect_flag("attention_bias", false);
  read_windows(config, model, {true});
  return model;
}

}  // namespace

extern const TextFamily kPhi3 = {{"phi3"}, read_phi3};

}  // namespace spillway
