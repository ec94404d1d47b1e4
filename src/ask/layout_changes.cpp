#include "ask/layout_changes.h"

#include <algorithm>
#include <utility>

#include "cost/layers/architecture.h"
#include "cost/network/parallelism.h"
#include "json/word_of.h"
#include "search/layout_rules.h"

namespace spillway {
namespace {

class ChangesOf {
 public:
  ChangesOf(const PlanJob& job, const PlanLayout& from, std::size_t planned)
      : job_(job), from_(from), planned_(planned) {}

  std::vector<LayoutChange> towards(const PlanLayout& to) {
    devices(to);
    framework(to);
    grid("P", &PlanLayout::ranks, to.ranks);
    grid("TP", &PlanLayout::tensor, to.tensor);
    grid("CP", &PlanLayout::context, to.context);
    grid("EP", &PlanLayout::expert, to.expert);
    grid("mb", &PlanLayout::microbatch, to.microbatch);
    recompute(to.recompute);
    data(to.data);
    schedule(to.schedule);
    return std::move(changes_);
  }

  std::vector<LayoutChange> that_may_save() {
    for (const auto& [word, one] : kRecomputes)
      if (one > from_.recompute && is_recompute_free()) recompute(one);
    for (const auto& [word, one] : kDataParallels)
      if (one > from_.data) data(one);
    if (from_.microbatch % 2 == 0) grid("mb", &PlanLayout::microbatch, from_.microbatch / 2);
    twice("TP", &PlanLayout::tensor);
    twice("P", &PlanLayout::ranks);
    twice("CP", &PlanLayout::context);
    if (has_experts()) grid("EP", &PlanLayout::expert, 2 * from_.expert);
    offloads();
    other_frameworks();
    return std::move(changes_);
  }

 private:
  const AnalyticCosts& costs() const { return job_.clusters[from_.cluster].analytic().costs; }

  // Contract: from, to and layout differ in this one thing.
  void add(const char* key, std::string from, std::string to, PlanLayout layout) {
    const std::uint64_t lane = std::uint64_t{layout.ranks} * layout.tensor * layout.context;
    layout.replicas = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, layout.devices / lane));
    layout.microbatches =
        static_cast<std::uint32_t>(job_.batch / (std::uint64_t{layout.replicas} * layout.microbatch));
    if (layout.ranks != from_.ranks || layout.microbatches != from_.microbatches)
      if (layout.schedule == from_.schedule) layout.schedule = planned_;
    changes_.push_back({key, std::move(from), std::move(to), as_planned(layout)});
  }

  // On one rank all pipelines are planned as the first.
  PlanLayout as_planned(PlanLayout layout) const {
    if (layout.ranks == 1 && from_.ranks > 1 && broken_rules(job_, layout).empty())
      layout.schedule = planned_schedule(job_, layout);
    return layout;
  }

  const JobCluster& cluster(const PlanLayout& layout) const { return job_.clusters[layout.cluster]; }
  bool is_elsewhere(const PlanLayout& to) const { return cluster(to).stated != cluster(from_).stated; }

  // Another cluster has other frameworks.
  void devices(const PlanLayout& to) {
    const bool elsewhere = is_elsewhere(to);
    if (!elsewhere && to.devices == from_.devices) return;
    const auto words = [&](const PlanLayout& layout) {
      const JobCluster& one = cluster(layout);
      return std::to_string(layout.devices) + " of " + one.platform().name +
             (elsewhere && !one.framework.empty() ? " under " + one.framework : "");
    };
    PlanLayout layout = from_;
    if (elsewhere) layout.cluster = to.cluster;
    layout.devices = to.devices;
    add("devices", words(from_), words(to), layout);
  }

  void framework(const PlanLayout& to) {
    if (to.cluster == from_.cluster || is_elsewhere(to)) return;
    PlanLayout layout = from_;
    layout.cluster = to.cluster;
    add("framework", cluster(from_).framework, cluster(to).framework, layout);
  }

  // Ideal software is none.
  void other_frameworks() {
    PlanLayout layout = from_;
    for (layout.cluster = 0; layout.cluster < job_.clusters.size(); ++layout.cluster)
      if (!cluster(layout).is_bound) framework(layout);
  }

  void grid(const char* key, std::uint32_t PlanLayout::*value, std::uint32_t to) {
    if (from_.*value == to) return;
    PlanLayout layout = from_;
    layout.*value = to;
    add(key, std::to_string(from_.*value), std::to_string(to), layout);
  }

  // An odd number of replicas cannot be halved.
  void twice(const char* key, std::uint32_t PlanLayout::*value) {
    if (from_.replicas % 2 == 0) return grid(key, value, 2 * from_.*value);
    PlanLayout layout = from_;
    layout.*value *= 2;
    layout.devices *= 2;
    add(key, std::to_string(from_.*value), std::to_string(layout.*value), layout);
    changes_.back().more_devices = true;
  }

  void recompute(Recompute to) {
    if (to == from_.recompute) return;
    PlanLayout layout = from_;
    layout.recompute = to;
    add("recompute", std::string(word_of(kRecomputes, from_.recompute)),
        std::string(word_of(kRecomputes, to)), layout);
  }

  void data(DataParallel to) {
    if (to == from_.data) return;
    PlanLayout layout = from_;
    layout.data = to;
    add("data", std::string(word_of(kDataParallels, from_.data)), std::string(word_of(kDataParallels, to)),
        layout);
  }

  void schedule(std::size_t to) {
    PlanLayout layout = from_;
    layout.schedule = to;
    if (to == from_.schedule || is_planned_alike(layout)) return;
    const std::vector<ScheduleChoice>& all = job_.search.schedules;
    const bool split = to == planned_;
    changes_.push_back({split ? "stages" : "schedule", split ? "as stated" : all[from_.schedule].name,
                        split ? "balanced by the plan" : all[to].name, layout});
  }

  // The job plans both layouts under one schedule's name.
  bool is_planned_alike(const PlanLayout& other) const {
    return broken_rules(job_, from_).empty() && broken_rules(job_, other).empty() &&
           planned_schedule(job_, from_) == planned_schedule(job_, other);
  }

  void offloads() {
    if (costs().parallelism.optimizer == OptimizerPlace::Device && costs().parallelism.states.offloaded == 0)
      changes_.push_back({"offload", "none", "optimizer states", from_, HostKeeps::OptimizerStates});
    const bool offloads = std::ranges::any_of(costs().blocks, [](const auto& b) { return b.offload.any(); });
    if (!offloads && from_.recompute != Recompute::Full)
      changes_.push_back({"offload", "none", "activations", from_, HostKeeps::Activations});
  }

  bool is_recompute_free() const {
    return std::ranges::find(job_.states_recompute, false) != job_.states_recompute.end();
  }
  bool has_experts() const {
    return std::ranges::any_of(costs().blocks,
                               [](const auto& block) { return routed_experts(block.architecture) > 0; });
  }

  const PlanJob& job_;
  const PlanLayout& from_;
  const std::size_t planned_;
  std::vector<LayoutChange> changes_;
};

}  // namespace

std::string to_string(const LayoutChange& change) {
  return change.key + ' ' + change.to + " instead of " + change.from;
}

std::vector<LayoutChange> changes_towards(const PlanJob& job, const PlanLayout& from, const PlanLayout& to,
                                          std::size_t planned) {
  return ChangesOf(job, from, planned).towards(to);
}

std::vector<LayoutChange> changes_that_may_save(const PlanJob& job, const PlanLayout& from,
                                                std::size_t planned) {
  return ChangesOf(job, from, planned).that_may_save();
}

}  // namespace spillway
