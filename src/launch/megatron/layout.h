// Devices, batch and pipeline of a Megatron command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launch/command/arguments.h"
#include "launch/command/stages.h"
#include "launch/megatron/flavour.h"

namespace spillway {

struct MegatronLayout {
  std::uint32_t tensor = 1, pipeline = 1, context = 1, expert = 1, expert_tensor = 1;
  std::uint32_t replicas = 1, microbatches = 1, microbatch_size = 1, sequence_tokens = 1;
  bool packs = true;                                   // every sequence has all its tokens
  std::uint32_t chunks = 1;                            // virtual stages of a rank
  std::optional<std::uint32_t> microbatch_group = {};  // of interleaved 1F1B
  bool dualpipev = false;                              // MindSpeed's --schedules-method dualpipev
  bool overlaps_experts = false;                       // forwards run beside backwards
  bool blocks_transfers = true;
  std::vector<StageParts> stages = {};  // in their order, P x chunks (2P with dualpipev)
  bool separate_vocabulary = false;     // a stage may hold only the embedding or only the head
};

struct LayerCounts {
  std::uint32_t decoder;                 // --num-layers, with layers that do nothing; 0: not known
  std::uint32_t prediction;              // of multi-token prediction
  std::vector<std::uint32_t> noop = {};  // MindSpeed's --noop-layers, counted from 0
  // An encoder's, of each pipeline rank; empty: none, or all on the first. Ranks with these alone come before
  // the embedding.
  std::vector<std::uint32_t> encoder = {};
};

// Findings say what is wrong; the result is then of no use.
MegatronLayout read_layout(Arguments& arguments, MegatronFlavour flavour,
                           std::optional<std::uint32_t> devices, const LayerCounts& layers, bool has_experts);

}  // namespace spillway
