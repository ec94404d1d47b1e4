// The frameworks that take Megatron-LM's arguments.
#pragma once

#include <string_view>

namespace spillway {

// Megatron-LM; MindSpeed-LLM on Ascend; Megatron-SWIFT (ms-swift), which has defaults of its own.
enum class MegatronFlavour { Megatron, MindSpeed, Swift };

constexpr std::string_view name_of(MegatronFlavour flavour) {
  switch (flavour) {
    case MegatronFlavour::MindSpeed:
      return "MindSpeed-LLM";
    case MegatronFlavour::Swift:
      return "Megatron-SWIFT";
    default:
      return "Megatron-LM";
  }
}

}  // namespace spillway
