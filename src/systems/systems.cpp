#include "systems/system.h"
#include "systems/system_list.h"

namespace spillway {
namespace {

constexpr std::string_view kSearched =
    "its order is searched for each draw, and what it holds is not known before";

}  // namespace

std::span<const System> systems() {
  static const std::vector<System> all = {
      {"megatron", {"body", "microbatch_group"}, megatron},
      {"megatron-balanced", {"body", "microbatch_group"}, megatron_balanced},
      {"dip", {"segments", "sub_microbatches", "owner_from"}, dip, kSearched},
      {"disttrain", {"body", "order", "balance_samples", "encoder_ranks", "modules"}, disttrain},
      {"encode-first", {"body", "split", "owner", "owner_from", "microbatch_group"}, encode_first},
      {"encode-in-bubbles", {"body", "split", "owner_from", "microbatch_group"}, encode_in_bubbles},
      {"entrain", {"body", "microbatch_group"}, entrain},
      {"megascale-omni", {"body", "split", "group_replicas", "microbatch_group"}, megascale_omni},
      {"mimo", {"body", "split", "macro_batch", "prefetch", "microbatch_group", "modules"}, mimo},
      {"mpipe", {"body", "split", "owner", "owner_from", "order", "microbatch_group"}, mpipe},
      {"mpipe-released",
       {"body", "ownership", "owner_backward", "transposed_layers", "microbatch_group"},
       mpipe_released},
      {"optimus", {"body", "split", "microbatch_group"}, optimus},
      {"orchmllm", {"body", "microbatch_group"}, orchmllm},
  };
  return all;
}

}  // namespace spillway
