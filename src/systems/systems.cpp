#include <array>

#include "systems/system.h"
#include "systems/system_list.h"

namespace spillway {
namespace {

constexpr std::array<UnplayedSystem, 1> kUnplayed = {
    {{"dip", "segments and sub-microbatches with a number of microbatches of their own"}}};

constexpr std::string_view kMovesSamples =
    "samples are computed elsewhere than where they were drawn, and a bound by what was drawn is none";

}  // namespace

std::span<const System> systems() {
  static const std::vector<System> all = {
      {"megatron", {"body", "microbatch_group"}, megatron},
      {"megatron-balanced", {"body", "microbatch_group"}, megatron_balanced},
      {"disttrain", {"body", "order", "encoder_ranks"}, disttrain},
      {"encode-first", {"body", "split", "owner", "owner_from", "microbatch_group"}, encode_first},
      {"encode-in-bubbles", {"body", "split", "owner_from", "microbatch_group"}, encode_in_bubbles},
      {"entrain", {"body", "microbatch_group"}, entrain, kMovesSamples},
      {"megascale-omni",
       {"body", "split", "group_replicas", "microbatch_group"},
       megascale_omni,
       kMovesSamples},
      {"mimo", {"body", "split", "macro_batch", "prefetch", "microbatch_group"}, mimo, kMovesSamples},
      {"mpipe", {"body", "split", "owner", "owner_from", "order", "microbatch_group"}, mpipe},
      {"mpipe-released", {"body", "ownership", "transposed_layers", "microbatch_group"}, mpipe_released},
      {"optimus", {"body", "split", "microbatch_group"}, optimus},
      {"orchmllm", {"body", "microbatch_group"}, orchmllm, kMovesSamples},
  };
  return all;
}

std::span<const UnplayedSystem> unplayed_systems() {
  return kUnplayed;
}

}  // namespace spillway
