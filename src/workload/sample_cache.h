// Samples each draw once for many points: the content of a draw depends neither on the schedule nor on any
// cost.
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

// A draw and its most used sums. A replica may have more microbatches than a later replica.
struct SampledDraw {
  explicit SampledDraw(Draw draw);
  // A draw whose samples are computed elsewhere than where they were drawn. `host_s` is the planning time in
  // seconds.
  SampledDraw(Regrouped regrouped, double host_s) : SampledDraw(std::move(regrouped.draw)) {
    traffic = std::move(regrouped.traffic);
    planned_s = host_s;
  }

  std::size_t microbatches(std::size_t replica) const { return loads[replica].size(); }
  std::size_t replicas() const { return loads.size(); }
  std::size_t microbatches() const;  // of all replicas together
  bool begins_with(std::uint32_t replicas, std::uint32_t microbatches) const;

  // Returns the tally of the first replicas and the first microbatches of each. Contract: begins_with() them.
  WorkloadTally tally(std::uint32_t replicas, std::uint32_t microbatches) const;

  Draw loads;
  std::vector<std::vector<double>> patches;            // [replica][microbatch], sum over its images
  std::vector<std::vector<WorkloadTally>> tallies;     // [replica][microbatch], cumulative over microbatches
  std::vector<std::vector<SeamTraffic>> traffic = {};  // as in Regrouped
  double planned_s = 0;                                // seconds that the host took to plan it
};

// Keeps the draws used last, up to `most_microbatches` over all draws and replicas. Thread-safe.
class SampleCache {
 public:
  explicit SampleCache(std::size_t most_microbatches = 1'000'000) : most_microbatches_(most_microbatches) {}

  // Returns the one instance for all workloads equal to `spec`. Draws are stored under this instance.
  std::shared_ptr<const WorkloadSpec> shared(const WorkloadSpec& spec);

  // Returns a draw that begins like sample()'s: its first replicas have the same first microbatches. It may
  // have more replicas and microbatches, since layouts of one batch ask for many microbatches of few replicas
  // and for few microbatches of many. Contract: that of sample().
  std::shared_ptr<const SampledDraw> sample(const std::shared_ptr<const WorkloadSpec>& spec,
                                            const DrawOf& draw);

  // Returns the result of `make`, stored under the numbers `how`, which say how it was made. Contract: not
  // all of them are 0.
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
    Making how;  // all 0: as drawn
    std::shared_ptr<const SampledDraw> sampled;

    std::size_t size() const { return sampled->microbatches(); }
  };
  using Entries = std::list<Entry>;  // latest used first
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
  std::size_t microbatches_ = 0;  // sum over all entries
};

}  // namespace spillway
