#include <algorithm>
#include <string>

#include "base/text.h"
#include "systems/system.h"
#include "systems/system_list.h"

namespace spillway {
namespace {

constexpr std::string_view kSearched =
    "its order is searched for each draw, and what it holds is not known before";

std::string those_with_generators() {
  std::vector<std::string> names;
  for (const System& system : systems())
    if (system.has_generator) names.emplace_back(system.name);
  return joined(names);
}

}  // namespace

LaidOut System::lay(const SystemJob& job, const SystemOptions& chosen) const {
  const std::vector<Block>& blocks = job.model.blocks();
  const auto generator =
      std::ranges::find_if(blocks, [](const Block& block) { return block.role == Role::Generator; });
  if (has_generator || generator == blocks.end()) return layout(job, chosen);
  return std::vector<Violation>{{"", "/system",
                                 "a model without a generator: " + std::string(name) +
                                     "'s authors say nothing of one; it is taken by " +
                                     those_with_generators(),
                                 "block " + generator->name}};
}

std::span<const System> systems() {
  static const std::vector<System> all = {
      {"megatron", {"body", "microbatch_group"}, megatron, true},
      {"megatron-balanced", {"body", "microbatch_group"}, megatron_balanced, true},
      {"dip", {"segments", "sub_microbatches", "owner_from"}, dip, true, kSearched},
      {"disttrain", {"body", "order", "balance_samples", "encoder_ranks", "modules"}, disttrain, true},
      {"encode-first", {"body", "split", "owner", "owner_from", "microbatch_group"}, encode_first, false},
      {"encode-in-bubbles", {"body", "split", "owner_from", "microbatch_group"}, encode_in_bubbles, false},
      {"entrain", {"body", "microbatch_group"}, entrain, false},
      {"megascale-omni", {"body", "split", "group_replicas", "microbatch_group"}, megascale_omni, false},
      {"mimo", {"body", "split", "macro_batch", "prefetch", "microbatch_group", "modules"}, mimo, true},
      {"mpipe", {"body", "split", "owner", "owner_from", "order", "microbatch_group"}, mpipe, true},
      {"mpipe-released",
       {"body", "ownership", "owner_backward", "transposed_layers", "microbatch_group"},
       mpipe_released,
       true},
      {"optimus", {"body", "split", "microbatch_group"}, optimus, false},
      {"orchmllm", {"body", "microbatch_group"}, orchmllm, false},
  };
  return all;
}

}  // namespace spillway
