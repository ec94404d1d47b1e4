// Families whose layers compute what no layer here does. Each is refused for that, not as unknown.
#include "input/architecture/families.h"

namespace spillway {
namespace {

TextModel refused(ConfigSection& config, const char* reason) {
  config.pass_over_rest();
  config.refuse("model_type", reason, '"' + config.word("model_type") + '"');
  return {};
}

TextModel read_selective_scan(ConfigSection& config) {
  return refused(config, "a model without Mamba-1 layers, whose selective scan is not supported");
}

TextModel read_deepseek_v4(ConfigSection& config) {
  return refused(
      config,
      "a model without hyper-connections (residual streams that each layer mixes) and compressed attention, "
      "which are not supported");
}

TextModel read_recurrent(ConfigSection& config) {
  return refused(config, "a model without recurrent layers of its kind, which are not supported");
}

}  // namespace

extern const TextFamily kSelectiveScan = {{"jamba", "mamba", "falcon_mamba"}, read_selective_scan};
extern const TextFamily kDeepSeekV4 = {{"deepseek_v4", "deepseek_ref"}, read_deepseek_v4};
extern const TextFamily kRecurrent = {{"xlstm", "rwkv", "rwkv6", "rwkv7"}, read_recurrent};

}  // namespace spillway
