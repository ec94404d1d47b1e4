#include <array>

#include "systems/system.h"
#include "systems/system_list.h"

namespace spillway {
namespace {

constexpr std::string_view kModules = "modules with devices of their own",
                           kReplicas = "samples moved across replicas",
                           kSegments =
                               "segments and sub-microbatches with a number of microbatches of their own";

constexpr std::array<UnplayedSystem, 5> kUnplayed = {{{"mimo", kModules},
                                                      {"megascale-omni", kModules},
                                                      {"dip", kSegments},
                                                      {"orchmllm", kReplicas},
                                                      {"entrain", kReplicas}}};

}  // namespace

std::span<const System> systems() {
  static const std::vector<System> all = {
      {"megatron", {"body", "microbatch_group"}, megatron},
      {"megatron-balanced", {"body", "microbatch_group"}, megatron_balanced},
      {"disttrain", {"body", "order", "encoder_ranks"}, disttrain},
      {"encode-first", {"body", "split", "owner", "owner_from", "microbatch_group"}, encode_first},
      {"encode-in-bubbles", {"body", "split", "owner_from", "microbatch_group"}, encode_in_bubbles},
      {"mpipe", {"body", "split", "owner", "owner_from", "order", "microbatch_group"}, mpipe},
      {"mpipe-released", {"body", "ownership", "transposed_layers", "microbatch_group"}, mpipe_released},
      {"optimus", {"body", "split", "microbatch_group"}, optimus},
  };
  return all;
}

std::span<const UnplayedSystem> unplayed_systems() {
  return kUnplayed;
}

}  // namespace spillway
