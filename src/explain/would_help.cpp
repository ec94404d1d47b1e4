#include "explain/would_help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "draws/costs.h"
#include "draws/fold.h"
#include "evaluate/memory_limit.h"
#include "evaluate/point.h"
#include "evaluate/steps.h"
#include "explain/idle_setting.h"
#include "json/node.h"
#include "model/model.h"

namespace spillway {
namespace {

Setting set(const std::string& pointer, const std::string& value) {
  return {pointer, value};
}

Setting set(const std::string& pointer, std::uint32_t value) {
  return {pointer, std::to_string(value)};
}

class Changes {
 public:
  Changes(const Experiment& job, std::size_t schedule)
      : job_(job),
        schedule_(job.schedules.front()),
        at_("/schedules/" + std::to_string(schedule)),
        costs_(on_platform(job.costs)) {}

  std::vector<JobChange> all() {
    free_encoder();
    faster_links();
    free_collectives();
    free_plans();
    even_stages();
    nothing_recomputed();
    balanced_layers();
    best_owners();
    add("one more microbatch", {set("/pipeline/microbatches", job_.pipeline.microbatches + 1)});
    larger_parallelism();
    return std::move(changes_);
  }

 private:
  void add(std::string words, std::vector<Setting> settings) {
    changes_.push_back({std::move(words), std::move(settings)});
  }

  const Parallelism* parallelism() const { return costs_ ? &costs_->parallelism : nullptr; }

  void free_encoder() {
    if (job_.what_if.encoder_time > 0)
      add("an encoder that takes no time", {set("/what_if/encoder_time", 0)});
  }

  // A user buys ports and what they lead to, so each is a change. Given durations name no port.
  void faster_links() {
    if (!costs_)
      return add("links twice as fast",
                 {set("/what_if/link_speed", fmt::format("{}", 2 * job_.what_if.link_speed))});
    for (const NetworkPort& port : costs_->platform.ports)
      add(words_for_links(costs_->platform, port) + " twice as fast",
          {set(child("/what_if/port_speed", port.name), fmt::format("{}", 2 * port_speed(port)))});
  }

  double port_speed(const NetworkPort& port) const {
    const auto stated = job_.what_if.port_speed.find(port.name);
    return stated == job_.what_if.port_speed.end() ? 1 : stated->second;
  }

  // The reader refuses the key if blocks have profiles, or if the replay runs collectives as flows.
  void free_collectives() {
    if (costs_ && job_.collectives == InnerCollectives::Priced && job_.what_if.inner_collective_time > 0)
      add("collectives inside passes that take no time", {set("/what_if/inner_collective_time", 0)});
  }

  void free_plans() {
    if (schedule_.planning > Seconds() && plans_each_step(job_, schedule_))
      add("planning that takes no time", {set(at_ + "/planning_ms", 0)});
  }

  void even_stages() {
    if (!job_.what_if.even_stages) add("stages perfectly balanced", {set("/what_if/even_stages", "true")});
  }

  void nothing_recomputed() {
    if (!costs_) return;
    std::vector<Setting> settings;
    const std::vector<BlockCosts>& blocks = costs_->blocks;
    for (std::size_t block = 0; block < blocks.size(); ++block)
      if (blocks[block].recompute.any())
        settings.push_back(set("/model/blocks/" + std::to_string(block) + "/recompute", "none"));
    if (!settings.empty()) add("no recomputation", std::move(settings));
  }

  void balanced_layers() {
    if (job_.pipeline.ranks > 1 && schedule_.split == StageSplit::ByCount &&
        schedule_.layers_per_rank.empty())
      add("layers split by their time", {set(at_ + "/split", "balanced")});
  }

  // A search by the longest path of each draw would not spill less, and takes minutes.
  void best_owners() {
    if (!transposes(schedule_.schedule)) return;
    std::vector<Setting> settings;
    if (schedule_.owner != OwnerPolicy::MinMax)
      settings.push_back(set(at_ + "/owner", to_string(OwnerPolicy::MinMax)));
    if (draws_differ(job_) && !schedule_.owner_from_draw)
      settings.push_back(set(at_ + "/owner_from", "draw"));
    if (settings.empty()) return;
    add(draws_differ(job_) ? "owners with the least spill, each draw known" : "owners with the least spill",
        std::move(settings));
  }

  // Stages whose layers are listed, as in plans, are cut in two each. In a region with a stage of one layer,
  // the layers are shared out anew.
  std::vector<Setting> cut_stages() const {
    std::vector<std::uint32_t> halves;
    std::span<const std::uint32_t> left(schedule_.layers_per_rank);
    for (const Skeleton& skeleton : schedule_.schedule.skeletons) {
      if (layout_of(skeleton) != Layout::Sharded) continue;
      const auto stages = std::min<std::uint64_t>(left.size(), stage_count(skeleton, job_.pipeline.ranks));
      cut(left.first(stages), halves);
      left = left.subspan(stages);
    }
    cut(left, halves);
    if (halves.empty()) return {};
    return {set(at_ + "/layers_per_rank", fmt::format("[{}]", fmt::join(halves, ",")))};
  }

  static void cut(std::span<const std::uint32_t> stages, std::vector<std::uint32_t>& halves) {
    const bool even = std::ranges::find(stages, 1U) != stages.end();
    const auto twice = static_cast<std::uint32_t>(2 * stages.size());
    const std::uint32_t layers = std::accumulate(stages.begin(), stages.end(), 0U);
    for (std::uint32_t half = 0; half < twice; ++half)
      halves.push_back(even ? layers / twice + (half < layers % twice)
                            : (stages[half / 2] + 1 - half % 2) / 2);
  }

  void larger_parallelism() {
    larger("pipeline ranks", "/pipeline/ranks", job_.pipeline.ranks, cut_stages());
    const Parallelism* parallel = parallelism();
    if (!parallel) return;
    larger("tensor-parallel devices", "/parallel/tensor", parallel->tensor);
    larger("context-parallel devices", "/parallel/context", parallel->context);
    const std::string experts = " expert-parallel devices";
    if (parallel->expert > 1)
      add(std::to_string(2 * parallel->expert) + experts, {set("/parallel/expert", 2 * parallel->expert)});
  }

  void larger(const std::string& what, const std::string& pointer, std::uint32_t size,
              std::vector<Setting> settings = {}) {
    settings.push_back(set(pointer, 2 * size));
    const auto [ranks, microbatches, replicas] = job_.pipeline;
    const bool halves = replicas % 2 == 0;
    if (halves) {
      settings.push_back(set("/pipeline/replicas", replicas / 2));
      settings.push_back(set("/pipeline/microbatches", 2 * microbatches));
    }
    add(std::to_string(2 * size) + " " + what + (halves ? ", half the replicas" : ", twice the devices"),
        std::move(settings));
  }

  const Experiment& job_;
  const ScheduleSpec& schedule_;
  const std::string at_;
  const AnalyticCosts* costs_;
  std::vector<JobChange> changes_;
};

std::uint64_t devices_of(const Experiment& job) {
  const std::uint64_t lanes = std::uint64_t{job.pipeline.ranks} * job.pipeline.replicas;
  return lanes * parallelism_of(job.costs).members();
}

// Returns the device time for one microbatch.
Seconds each(Seconds makespan, const Experiment& job) {
  const double microbatches = static_cast<double>(job.pipeline.microbatches) * job.pipeline.replicas;
  return makespan * (static_cast<double>(devices_of(job)) / microbatches);
}

// Evaluates an experiment of one schedule.
PointOutcome outcome_of(Experiment job, const std::vector<FittedParameter>& fitted) {
  job = with_fitted(std::move(job), fitted);
  Caches caches;
  return evaluate_point(job, caches);
}

std::string first_of(const InputError& bad) {
  const Violation& violation = bad.violations().front();
  return violation.pointer + ": expected " + violation.expected + ", found " + violation.found;
}

}  // namespace

bool is_idle(const Experiment& changed, const std::vector<Setting>& settings) {
  return std::ranges::any_of(settings, [&](const Setting& setting) {
    return std::ranges::find(changed.idle_keys, setting.pointer, &IdleKey::pointer) !=
           changed.idle_keys.end();
  });
}

std::string words_for_links(const Platform& platform, const NetworkPort& port) {
  std::vector<std::string> tiers;
  for (const Tier& tier : platform.tiers)
    if (&platform.ports[tier.port] == &port) tiers.push_back(tier.name);
  return joined(tiers, " and ") + " links (" + port.name + ")";
}

std::vector<JobChange> changes_worth_trying(const Experiment& experiment, std::size_t schedule) {
  return Changes(experiment, schedule).all();
}

std::vector<TriedChange> what_would_help(std::size_t schedule, const std::vector<FittedParameter>& fitted,
                                         const ReadAgain& read_again) {
  const Experiment experiment = read_again({});
  const Seconds as_is = each(mean_makespan(outcome_of(experiment, fitted).schedules.front()), experiment);
  std::vector<TriedChange> all;
  for (JobChange& change : changes_worth_trying(experiment, schedule)) {
    TriedChange tried{std::move(change)};
    try {
      const Experiment changed = read_again(tried.change.settings);
      if (is_idle(changed, tried.change.settings)) continue;
      const PointOutcome outcome = outcome_of(changed, fitted);
      tried.makespan = mean_makespan(outcome.schedules.front());
      tried.devices = devices_of(changed);
      tried.gain = 1 - each(tried.makespan, changed) / as_is;
      tried.fits = fits(outcome.schedules.front().peak_memory, outcome.memory_limit);
    } catch (const InputError& bad) {
      tried.refusal = first_of(bad);
    } catch (const Infeasible& none) {
      tried.refusal = none.what();
    }
    all.push_back(std::move(tried));
  }
  std::ranges::stable_sort(all, [](const TriedChange& a, const TriedChange& b) {
    return std::pair(!a.refusal.empty(), -a.gain) < std::pair(!b.refusal.empty(), -b.gain);
  });
  return all;
}

}  // namespace spillway
