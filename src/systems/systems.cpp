#include <array>

#include "systems/system.h"
#include "systems/system_list.h"

namespace spillway {
namespace {

constexpr std::string_view kModules = "modules with devices of their own",
                           kReplicas = "samples moved across replicas",
                           kMidway = "the backward of an encode on another rank than its forward",
                           kGaps = "encodes in the gaps of passes that communicate",
                           kSegments =
                               "segments and sub-microbatches with a number of microbatches of their own";

constexpr std::array<UnplayedSystem, 7> kUnplayed = {{{"mimo", kModules},
                                                      {"megascale-omni", kModules},
                                                      {"dip", kSegments},
                                                      {"optimus", kGaps},
                                                      {"orchmllm", kReplicas},
                                                      {"entrain", kReplicas},
                                                      {"mpipe-released", kMidway}}};

}  // namespace

std::span<const System> systems() {
  static const std::vector<System> all = {
      {"megatron", {"body", "microbatch_group"}, megatron},
      {"megatron-balanced", {"body", "microbatch_group"}, megatron_balanced},
      {"disttrain", {"body", "order", "encoder_ranks"}, disttrain},
      {"encode-first", {"body", "split", "owner", "owner_from", "microbatch_group"}, encode_first},
      {"encode-in-bubbles", {"body", "split", "owner_from", "microbatch_group"}, encode_in_bubbles},
      {"mpipe", {"body", "split", "owner", "owner_from", "order", "microbatch_group"}, mpipe},
  };
  return all;
}

std::span<const UnplayedSystem> unplayed_systems() {
  return kUnplayed;
}

}  // namespace spillway
