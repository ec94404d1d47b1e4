#include <algorithm>
#include <string>

#include "base/text.h"
#include "systems/played_terms.h"
#include "systems/system.h"
#include "systems/system_list.h"

namespace spillway {
namespace {

constexpr std::string_view kSearched =
    "its order is searched for each draw, so the memory it holds is not known in advance";
constexpr std::string_view kOwnInsertion =
    "how it spaces encodes is not published, so it is simulated by a rule that is not its authors'";

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
  if (has_generator || generator == blocks.end()) return lay_on_terms(*this, job, chosen);
  return std::vector<Violation>{
      {"", "/system",
       "a model without a generator: " + std::string(name) +
           "'s authors do not describe one; systems that take one: " + those_with_generators(),
       "block " + generator->name}};
}

Schedule interleaved_body(std::uint32_t chunks) {
  return {std::vector<Skeleton>(chunks, Skeleton(SkeletonKind::OneFOneB))};
}

std::span<const System> systems() {
  static const std::vector<System> all = {
      {"megatron", {"body", "microbatch_group"}, megatron, true},
      {"megatron-balanced", {"body", "microbatch_group"}, megatron_balanced, true},
      {.name = "dip",
       .options = {"segments", "sub_microbatches", "owner_from"},
       .layout = dip,
       .has_generator = true,
       .unbounded = kSearched,
       .knows_draw = true,
       .plans_by_sizes = true},
      {.name = "disttrain",
       .options = {"body", "order", "balance_samples", "encoder_ranks", "modules"},
       .layout = disttrain,
       .has_generator = true,
       .plans_by_sizes = true},
      {.name = "encode-first",
       .options = {"body", "split", "owner", "owner_from", "microbatch_group"},
       .layout = encode_first,
       .has_generator = false,
       .moves_samples = true,
       .knows_draw = true,
       .plans_by_sizes = true},
      {.name = "encode-in-bubbles",
       .options = {"body", "split", "owner_from", "microbatch_group"},
       .layout = encode_in_bubbles,
       .has_generator = false,
       .plans_by_sizes = true},
      {.name = "entrain",
       .options = {"body", "microbatch_group"},
       .layout = entrain,
       .has_generator = false,
       .moves_samples = true,
       .knows_draw = true,
       .plans_by_sizes = true},
      {.name = "megascale-omni",
       .options = {"body", "split", "group_replicas", "microbatch_group"},
       .layout = megascale_omni,
       .has_generator = false,
       .moves_samples = true,
       .knows_draw = true,
       .plans_by_sizes = true,
       .unranked = kOwnInsertion},
      {"mimo", {"body", "split", "macro_batch", "prefetch", "microbatch_group", "modules"}, mimo, true},
      {.name = "mpipe",
       .options = {"body", "split", "owner", "owner_from", "order", "microbatch_group"},
       .layout = mpipe,
       .has_generator = true,
       .plans_by_sizes = true},
      {"mpipe-released",
       {"body", "ownership", "owner_backward", "transposed_layers", "microbatch_group"},
       mpipe_released,
       true},
      {.name = "optimus",
       .options = {"body", "split", "microbatch_group"},
       .layout = optimus,
       .has_generator = false,
       .plans_by_sizes = true},
      {.name = "orchmllm",
       .options = {"body", "microbatch_group"},
       .layout = orchmllm,
       .has_generator = false,
       .moves_samples = true,
       .knows_draw = true},
  };
  return all;
}

}  // namespace spillway
