#include "workload/sample_cache.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace spillway {

namespace {

double patches_of(const MicrobatchLoad& load) {
  return std::accumulate(load.media.begin(), load.media.end(), 0.0,
                         [](double sum, const MediaItem& item) { return sum + item.patches; });
}

}  // namespace

SampledDraw::SampledDraw(Draw draw) : loads(std::move(draw)) {
  for (const auto& replica : loads) {
    std::vector<double>& of_replica = patches.emplace_back();
    std::vector<WorkloadTally>& tallied = tallies.emplace_back();
    WorkloadTally all;
    for (const MicrobatchLoad& load : replica) {
      of_replica.push_back(patches_of(load));
      tallied.push_back(all += spillway::tally(load));
    }
  }
}

WorkloadTally SampledDraw::tally(std::uint32_t replicas, std::uint32_t microbatches) const {
  WorkloadTally all;
  for (std::uint32_t replica = 0; replica < replicas; ++replica) all += tallies[replica][microbatches - 1];
  return all;
}

std::size_t SampledDraw::microbatches() const {
  std::size_t all = 0;
  for (const auto& replica : loads) all += replica.size();
  return all;
}

bool SampledDraw::begins_with(std::uint32_t replicas, std::uint32_t microbatches) const {
  return loads.size() >= replicas &&
         std::all_of(loads.begin(), loads.begin() + replicas,
                     [&](const auto& replica) { return replica.size() >= microbatches; });
}

std::shared_ptr<const WorkloadSpec> SampleCache::shared(const WorkloadSpec& spec) {
  const std::lock_guard lock(mutex_);
  std::erase_if(specs_, [](const auto& known) { return known.expired(); });
  for (const auto& weak : specs_)
    if (auto known = weak.lock(); known && *known == spec) return known;
  auto made = std::make_shared<const WorkloadSpec>(spec);
  specs_.push_back(made);
  return made;
}

// Sampling runs outside the lock. Two threads may sample the same draw; then the larger one is kept.
std::shared_ptr<const SampledDraw> SampleCache::sample(const std::shared_ptr<const WorkloadSpec>& spec,
                                                       const DrawOf& draw) {
  const auto known = find({spec.get(), draw.seed, draw.number, {}});
  if (known && known->begins_with(draw.replicas, draw.microbatches)) return known;
  Draw loads = known ? known->loads : Draw();
  loads.resize(std::max<std::size_t>(loads.size(), draw.replicas));
  for (std::uint32_t replica = 0; replica < draw.replicas; ++replica)
    if (loads[replica].size() < draw.microbatches) loads[replica] = sample_replica(*spec, draw, replica);
  auto sampled = std::make_shared<const SampledDraw>(std::move(loads));
  keep({spec, draw.seed, draw.number, {}, sampled});
  return sampled;
}

std::shared_ptr<const SampledDraw> SampleCache::find(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto known = at_.find(key);
  if (known == at_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, known->second);
  return known->second->sampled;
}

void SampleCache::keep(Entry entry) {
  const std::lock_guard lock(mutex_);
  const Key key = key_of(entry);
  if (const auto known = at_.find(key); known != at_.end()) {
    if (known->second->size() >= entry.size()) return;
    forget(known->second);
  }
  microbatches_ += entry.size();
  entries_.push_front(std::move(entry));
  at_[key] = entries_.begin();
  while (microbatches_ > most_microbatches_) forget(std::prev(entries_.end()));
}

void SampleCache::forget(Entries::iterator entry) {
  microbatches_ -= entry->size();
  at_.erase(key_of(*entry));
  entries_.erase(entry);
}

}  // namespace spillway
