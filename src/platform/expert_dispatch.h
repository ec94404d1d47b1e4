// The way of a token to the devices of its experts: an experiment states it, or what runs it does by default.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace spillway {

enum class ExpertDispatch : std::uint8_t {
  PerExpert,  // a copy for every expert, as in an all-to-all of tokens sorted by expert
  // One copy to every device that has any of them. One copy crosses the network to every node and goes on to
  // the node's devices while more arrive (DeepSeek-V3, arXiv 2412.19437, section 3.2.2; DeepEP).
  PerNode,
  // Every token to every device of the group, by an all-gather. The devices' results are reduced and
  // scattered (Megatron-LM's MoEAllGatherTokenDispatcher, MindSpeed's "allgather").
  AllGather
};
inline constexpr std::array<std::pair<std::string_view, ExpertDispatch>, 3> kExpertDispatches{
    {{"per-expert", ExpertDispatch::PerExpert},
     {"per-node", ExpertDispatch::PerNode},
     {"all-gather", ExpertDispatch::AllGather}}};

}  // namespace spillway
