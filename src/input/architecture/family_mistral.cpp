// Mistral (arXiv 2310.06825; transformers, models/mistral): if there is a window, every layer has it.
#include "input/architecture/families.h"

namespace spillway {
namespace {

TextModel read_mistral(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  model.attention = read_attention_with_biases(config, model.hidden_size, false);
  config.expect_word("hidden_act", {"silu"});
  read_windows(config, model, {true});
  return model;
}

}  // namespace

extern const TextFamily kMistral = {{"mistral", "ministral", "ministral3"}, read_mistral};

}  // namespace spillway
