// The frameworks that take Megatron-LM's arguments.
#pragma once

#include <string_view>

namespace spillway {

// Megatron-LM; MindSpeed-LLM on Ascend; Megatron-SWIFT (ms-swift), which has defaults of its own;
// Megatron-Bridge, whose recipes set them; NeMo, whose YAML does.
enum class MegatronFlavour { Megatron, MindSpeed, Swift, Bridge, Nemo };

constexpr std::string_view name_of(MegatronFlavour flavour) {
  switch (flavour) {
    case MegatronFlavour::MindSpeed:
      return "MindSpeed-LLM";
    case MegatronFlavour::Swift:
      return "Megatron-SWIFT";
    case MegatronFlavour::Nemo:
      return "NeMo";
    case MegatronFlavour::Bridge:
      return "Megatron-Bridge";
    default:
      return "Megatron-LM";
  }
}

}  // namespace spillway
