#include "optimize/order_input.h"

#include <cstdint>

namespace spillway {
namespace {

class Hash {
 public:
  void add(std::uint64_t value) { hash_ = (hash_ ^ value ^ hash_ >> 32U) * 0x9e3779b97f4a7c15U; }
  std::size_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0;
};

void hash_schedule(const Schedule& schedule, Hash& hash) {
  for (const Skeleton& skeleton : schedule.skeletons) {
    hash.add(static_cast<std::uint64_t>(skeleton.kind));
    if (!skeleton.listed) continue;
    for (const RankOrder& order : (*skeleton.listed)->orders)
      for (const Slot& slot : order) hash.add(slot.microbatch.index());
  }
}

void hash_options(const DeriveOptions& options, Hash& hash) {
  const auto [ranks, microbatches, replicas] = options.pipeline;
  for (const std::uint32_t size : {ranks, microbatches, replicas}) hash.add(size);
  for (const std::uint32_t layers : options.layers_per_rank) hash.add(layers);
  for (const OwnerMap& owners : options.owners)
    for (const RankId owner : owners) hash.add(owner.index());
  for (const std::vector<PlacedPass>& rank : options.placed)
    for (const PlacedPass& pass : rank) hash.add(pass.before);
}

}  // namespace

std::size_t HashOfOrderInput::operator()(const OrderInput& input) const {
  Hash hash;
  for (const Block& block : input.model.blocks()) hash.add(block.layers);
  for (const std::uint32_t boundary : input.cut.boundaries) hash.add(boundary);
  hash_schedule(input.schedule, hash);
  hash_options(input.options, hash);
  return hash.value();
}

}  // namespace spillway
