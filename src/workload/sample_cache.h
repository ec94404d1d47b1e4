// Draws sampled once and read by many points: what a draw holds depends neither on the schedule nor on what
// anything costs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "workload/regroup.h"
#include "workload/tally.h"
#include "workload/workload.h"

namespace spillway {

// A draw, and what is read of it most. A replica may have more microbatches than one behind it.
struct SampledDraw {
  explicit SampledDraw(Draw draw);
  // Computed elsewhere than drawn.
  SampledDraw(Regrouped regrouped, double host_s) : SampledDraw(std::move(regrouped.draw)) {
    traffic = std::move(regrouped.traffic);
    planned_s = host_s;
  }

  std::size_t microbatches(std::size_t replica) const { return loads[replica].size(); }
  std::size_t replicas() const { return loads.size(); }
  std::size_t microbatches() const;  // of all replicas
  bool begins_with(std::uint32_t replicas, std::uint32_t microbatches) const;

  // Of the first of each. Contract: begins_with() them.
  WorkloadTally tally(std::uint32_t replicas, std::uint32_t microbatches) const;

  Draw loads;
  std::vector<std::vector<double>> patches;            // [replica][microbatch], of all images together
  std::vector<std::vector<WorkloadTally>> tallies;     // [replica][microbatch], of it and those before it
  std::vector<std::vector<SeamTraffic>> traffic = {};  // as of Regrouped
  double planned_s = 0;                                // how long the host took to say where
};

// The draws used last, so long as they have no more than `most_microbatches` together, of all replicas. For
// several threads.
class SampleCache {
 public:
  explicit SampleCache(std::size_t most_microbatches = 1'000'000) : most_microbatches_(most_microbatches) {}

  // The one that stands for all workloads equal to this: draws are remembered by it.
  std::shared_ptr<const WorkloadSpec> shared(const WorkloadSpec& spec);

  // A draw that begins as sample()'s does: its first replicas have, as their first microbatches, those. There
  // may be more of either: layouts of one batch ask for many microbatches of few replicas, and for few of
  // many. Contract: sample()'s.
  std::shared_ptr<const SampledDraw> sample(const std::shared_ptr<const WorkloadSpec>& spec,
                                            const DrawOf& draw);

  // What `make` makes of it, remembered by the numbers that say what that is: not none.
  using Making = std::array<std::uint32_t, 6>;
  template <class Make>
  std::shared_ptr<const SampledDraw> made(const std::shared_ptr<const WorkloadSpec>& spec, const DrawOf& draw,
                                          const Making& how, Make make) {
    if (auto known = find({spec.get(), draw.seed, draw.number, how})) return known;
    auto sampled = std::make_shared<const SampledDraw>(make());
    keep({spec, draw.seed, draw.number, how, sampled});
    return sampled;
  }

 private:
  struct Entry {
    std::shared_ptr<const WorkloadSpec> spec;
    std::uint64_t seed;
    std::uint32_t draw;
    Making how;  // none: as drawn
    std::shared_ptr<const SampledDraw> sampled;

    std::size_t size() const { return sampled->microbatches(); }
  };
  using Entries = std::list<Entry>;  // the latest used first
  using Key = std::tuple<const WorkloadSpec*, std::uint64_t, std::uint32_t, Making>;

  static Key key_of(const Entry& entry) { return {entry.spec.get(), entry.seed, entry.draw, entry.how}; }

  std::shared_ptr<const SampledDraw> find(const Key& key);
  void keep(Entry entry);
  void forget(Entries::iterator entry);

  const std::size_t most_microbatches_;
  std::mutex mutex_;
  std::vector<std::weak_ptr<const WorkloadSpec>> specs_;
  Entries entries_;
  std::map<Key, Entries::iterator> at_;
  std::size_t microbatches_ = 0;  // of all entries
};

}  // namespace spillway
