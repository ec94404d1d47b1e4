// The loads and costs of an experiment's draws, before a schedule's rules are applied. Given durations and a
// platform share this interface. Private to src/draws.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "cost/cost_model.h"
#include "cost/step_account.h"
#include "draws/regrouped_draws.h"
#include "experiment/experiment.h"
#include "workload/sample_cache.h"
#include "workload/tally.h"

namespace spillway {

// A draw, and the rule that says where its samples are computed.
using DrawKey = std::pair<Regrouping, std::uint32_t>;

// The samples of a job's draws, from a cache that outlives this and may serve other jobs.
class JobSamples {
 public:
  JobSamples(const Experiment& experiment, SampleCache& cache);

  const Pipeline& job() const { return job_; }
  SampleCache& cache() const { return *cache_; }
  DrawOf draw_of(std::uint32_t number) const;
  // Returns the samples of a draw, placed where the key's rule computes them.
  std::shared_ptr<const SampledDraw> of(const std::shared_ptr<const WorkloadSpec>& workload,
                                        const DrawKey& key) const;
  // Returns the samples of the job's replicas and microbatches. The cache may hold more.
  Draw first_of(const Draw& draw) const;

 private:
  Pipeline job_;
  std::uint64_t seed_;
  SampleCache* cache_;
};

// Deals the values of [replica][microbatch] of a job to `to` pipelines in turn (Regrouping::dealt_to). If
// `all` has one list, it serves every replica.
template <class Value>
std::vector<std::vector<Value>> dealt_out(const std::vector<std::vector<Value>>& all, const Pipeline& job,
                                          std::uint32_t to) {
  const std::uint32_t count = job.replicas * job.microbatches;
  std::vector<std::vector<Value>> dealt(to);
  for (std::uint32_t n = 0; n < count; ++n)
    dealt[n % to].push_back(all[all.size() == 1 ? 0 : n % job.replicas][n / job.replicas]);
  return dealt;
}

// A draw's loads, and the traffic and the host time of the rule that places its samples.
template <class Loads>
struct PlacedDraw {
  std::shared_ptr<const Loads> loads;
  std::vector<std::vector<SeamTraffic>> traffic = {};
  double planned_s = 0;
};

// A CostSource keeps what it draws. It is not thread-safe.
class CostSource {
 public:
  virtual ~CostSource() = default;

  // Replaces the parameters of the same job. The draws stay.
  virtual void set(const Experiment& experiment) = 0;

  // Does the same for an experiment that differs in recomputation, the sharding of states and schedules
  // alone. The times of operators stay, too.
  virtual void lay_again(const Experiment& experiment) = 0;

  // Returns the costs of the outline. Samples are computed where the outline's rule puts them, and modules
  // run on their own devices. Views `outline`, which outlives the result.
  virtual std::unique_ptr<CostModel> of(const Outline& outline, std::uint32_t draw) = 0;
  // Returns what ranks hold, and prices nothing. Contract: the outline has no modules.
  virtual std::unique_ptr<Footprints> footprints(const Outline& outline, std::uint32_t draw) = 0;
  // Returns the time and bytes that replicas exchange. Contract: samples are not as drawn.
  virtual SampleExchange exchange(const Outline& outline, std::uint32_t draw) = 0;
  // Returns the host time of choosing where samples are computed. Contract: samples are not as drawn.
  virtual double planned_s(const Outline& outline, std::uint32_t draw) = 0;

  virtual std::optional<StepAccount> step_account(std::uint32_t draw) = 0;
  virtual std::vector<WorkloadTally> tallies(std::uint32_t draw) = 0;
  virtual std::set<std::uint32_t> asked_for() const = 0;
};

// Returns a source for given durations. Their work may be drawn.
std::unique_ptr<CostSource> given_source(GivenCosts costs, JobSamples samples);
// Returns a source for draws that are priced on a platform.
std::unique_ptr<CostSource> platform_source(const AnalyticExperiment& priced, const Model& model,
                                            JobSamples samples);

}  // namespace spillway
