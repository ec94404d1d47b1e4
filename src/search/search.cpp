#include "search/search.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <utility>

#include "base/in_parallel.h"
#include "search/bounds.h"
#include "search/choice_values.h"
#include "search/known_error.h"
#include "search/nearest.h"
#include "search/plan_value.h"
#include "search/software/launch_check.h"

namespace spillway {
namespace {

// The number of layouts evaluated in a round, before the best plans are looked at again.
constexpr std::size_t kRound = 64;
// The number of layouts bounded at once. One thread bounds kNeighbours of them, because neighbours share
// prices.
constexpr std::size_t kBounded = 256;
constexpr std::size_t kNeighbours = 8;

class Search {
 public:
  Search(const PlanJob& job, const std::vector<PlanLayout>& layouts, StageLayers& layers, std::size_t top,
         unsigned threads)
      : job_(job),
        layouts_(layouts),
        threads_(threads),
        bounds_(job, layers),
        launches_(job, layers),
        limits_(job.clusters.size()),
        choices_(job, layouts, top) {
    counts_.legal = layouts.size();
    for (std::size_t i = 0; i < job.clusters.size(); ++i) {
      for (const std::uint32_t devices : job.clusters[i].devices) on_devices_[{i, devices}];
      answers_.push_back({i});
      limits_[i] = usable_memory(job, job.clusters[i]);
    }
  }

  SearchResult run(const ComputeRound& compute, const OnRound& on_round) {
    queue_all();
    while (true) {
      const std::vector<std::size_t> round = next_round();
      if (round.empty()) break;
      std::vector<std::pair<std::size_t, PointOutcome>> outcomes;
      compute(round, [&](std::vector<FinishedPoint> finished) {
        for (FinishedPoint& one : finished) outcomes.emplace_back(one.point, std::move(one.outcome));
      });
      std::ranges::sort(outcomes, {}, &std::pair<std::size_t, PointOutcome>::first);
      for (auto& [point, outcome] : outcomes) take(point, std::move(outcome));
      if (on_round) on_round(layouts_.size() - waiting_.size());
    }
    counts_.pruned_by_bound =
        counts_.legal - counts_.pruned_by_memory - counts_.unlaunchable - counts_.evaluated;
    counts_.unlaunchable_reason = commonest_reason();
    std::vector<WithoutPlan> without = this->without();
    if (!plans_.empty()) return {counts_, ranked(), std::move(without), {}, answers(), {}};
    const NearestLayouts all = nearest();
    const bool misfit = all.misfit && !all.limit;
    return {counts_,
            {},
            std::move(without),
            refusal_of(job_, all),
            answers(),
            misfit ? std::optional(all.misfit->layout) : std::nullopt};
  }

 private:
  // A layout that waits, with its lower bound.
  struct Waiting {
    double bound;
    std::size_t layout;
    bool fine;  // the bound is of stages, if they are known

    bool operator<(const Waiting& other) const {
      return std::pair(bound, layout) > std::pair(other.bound, other.layout);
    }
  };

  // Lower bounds of every evaluation.
  struct Bound {
    Bytes memory;
    Seconds step;
    std::string unlaunched = {};  // if only launchable layouts are asked for: why this one is none
  };

  // What is known of the layouts on a number of a cluster's devices.
  struct OnDevices {
    // The least value of the plans that fit, also if they exceed a limit: then all that take longer do.
    std::optional<double> least = {};
    std::optional<double> least_launchable = {};  // the same of those that can be launched
    bool has_plan = false;
    NearestLayouts nearest = {};
  };

  // Returns true if the layout needs more memory than a device has. Remembers the least excess, for the
  // message if nothing fits.
  bool exceeds(const PlanLayout& layout, Bytes memory) {
    const auto& limit = limits_[layout.cluster];
    if (!limit || memory <= *limit) return false;
    on(layout).nearest.add(Misfit{layout, memory, memory - *limit});
    return true;
  }

  // Leaves out layouts that need more memory than a device has. The others wait by their lower bounds.
  std::vector<Waiting> bounded(const std::vector<std::size_t>& layouts, bool fine) {
    std::vector<Bound> bounds(layouts.size());
    const std::size_t parts = (layouts.size() + kNeighbours - 1) / kNeighbours;
    in_parallel(parts, threads_, [&](std::size_t part) {
      const std::size_t end = std::min(layouts.size(), (part + 1) * kNeighbours);
      for (std::size_t i = part * kNeighbours; i < end; ++i) bounds[i] = bound_of(layouts_[layouts[i]], fine);
    });
    std::vector<Waiting> waiting;
    for (std::size_t i = 0; i < layouts.size(); ++i) {
      const PlanLayout& layout = layouts_[layouts[i]];
      if (exceeds(layout, bounds[i].memory))
        ++counts_.pruned_by_memory;
      else if (!bounds[i].unlaunched.empty())
        leave_unlaunched(layout, bounds[i].unlaunched);
      else
        waiting.push_back({value_of_step(job_, layout, bounds[i].step), layouts[i], fine});
    }
    return waiting;
  }

  // Bounds only the memory of a layout that does not fit.
  Bound bound_of(const PlanLayout& layout, bool fine) {
    const Bytes memory = fine ? bounds_.memory(layout) : bounds_.rough_memory(layout);
    if (limits_[layout.cluster] && memory > *limits_[layout.cluster]) return {memory, {}};
    return {memory, fine ? bounds_.step(layout) : bounds_.rough_step(layout), unlaunched(layout, fine)};
  }

  // A rough answer costs little, and finds only what all layouts with this schedule lack.
  std::string unlaunched(const PlanLayout& layout, bool fine) {
    if (!job_.launchable || job_.clusters[layout.cluster].is_bound) return "";
    return fine ? launches_.reason(layout) : launches_.reason_of_all(layout);
  }

  void leave_unlaunched(const PlanLayout& layout, const std::string& why) {
    ++counts_.unlaunchable;
    ++unlaunchable_[why];
    on(layout).nearest.add_unlaunchable(layout_name(job_, layout) + ": " + why);
  }

  void queue_all() {
    std::vector<std::size_t> all(layouts_.size());
    std::iota(all.begin(), all.end(), 0);
    waiting_ = std::priority_queue<Waiting>(std::less<Waiting>(), bounded(all, false));
  }

  // Replaces the rough bounds of the first waiting layouts by bounds of their stages.
  void refine() {
    std::vector<Waiting> known;
    std::vector<std::size_t> rough;
    while (!waiting_.empty() && rough.size() + known.size() < kBounded) {
      if (waiting_.top().fine)
        known.push_back(waiting_.top());
      else
        rough.push_back(waiting_.top().layout);
      waiting_.pop();
    }
    for (const Waiting& one : known) waiting_.push(one);
    std::ranges::sort(rough);
    for (const Waiting& one : bounded(rough, true)) waiting_.push(one);
  }

  OnDevices& on(const PlanLayout& layout) { return on_devices_.at({layout.cluster, layout.devices}); }

  // No plan of the cluster with so large a value is its best, nor the best on its devices.
  static bool is_behind(double bound, const std::optional<double>& least) { return least && bound > *least; }
  static bool is_behind(double bound, const std::optional<EvaluatedPlan>& best) {
    return best && bound > best->value;
  }

  // Up to this value a layout may be the best of a choice that is shown or tie with it, tie with the best of
  // all, or tie with the best on its devices, whose value is `own`.
  double reach(std::size_t index, double own) {
    const JobCluster& cluster = job_.clusters[layouts_[index].cluster];
    const double near = 1 + margin(job_, cluster, cluster);
    const double most = std::max(own * near, choices_.reach(index, near));
    if (plans_.empty()) return most;
    const EvaluatedPlan& best = plans_.front();
    return std::max(most, best.value * (1 + margin(job_, job_.clusters[best.layout.cluster], cluster)));
  }

  // A bound is asked for its best alone.
  bool is_out_of_reach(std::size_t index, double bound) {
    const PlanLayout& layout = layouts_[index];
    const JobCluster& cluster = job_.clusters[layout.cluster];
    if (!is_behind(bound, on(layout).least) && !is_behind(bound, answers_[layout.cluster].best)) return false;
    if (cluster.is_bound) return true;
    const std::optional<double>& own = least_as_stated_[{cluster.stated, layout.devices}];
    return own && bound > reach(index, *own);
  }

  // A choice that is found, or a best plan on another cluster, may widen the reach again.
  void look_again() {
    const auto within = std::ranges::partition(
        parked_, [&](const Waiting& one) { return is_out_of_reach(one.layout, one.bound); });
    for (const Waiting& one : within) waiting_.push(one);
    parked_.erase(within.begin(), within.end());
  }

  // The best that the framework can launch is asked for, too. Without a framework there is none.
  bool may_launch_best(const PlanLayout& layout, double bound) {
    const JobCluster& cluster = job_.clusters[layout.cluster];
    return !cluster.is_bound && !cluster.framework.empty() && launches_.reason_of_all(layout).empty() &&
           !is_behind(bound, on(layout).least_launchable) &&
           !is_behind(bound, answers_[layout.cluster].launchable);
  }

  std::vector<std::size_t> next_round() {
    std::vector<std::size_t> round;
    while (round.size() < kRound) {
      if (waiting_.empty() && round.empty()) look_again();
      if (waiting_.empty()) break;
      const Waiting next = waiting_.top();
      const PlanLayout& layout = layouts_[next.layout];
      const bool out_of_reach = is_out_of_reach(next.layout, next.bound);
      const bool to_launch = out_of_reach && may_launch_best(layout, next.bound);
      if ((!out_of_reach || to_launch) && !next.fine) {
        refine();
        continue;
      }
      waiting_.pop();
      if (out_of_reach && !(to_launch && launches_.reason(layout).empty()))
        parked_.push_back(next);
      else
        round.push_back(next.layout);
    }
    std::ranges::sort(round);  // neighbours share prices
    return round;
  }

  void take(std::size_t index, PointOutcome outcome) {
    const PlanLayout& layout = layouts_[index];
    ++counts_.evaluated;
    const auto refuse = [&](const std::string& why) {
      const std::string words = layout_name(job_, layout) + ": " + why;
      if (counts_.refused++ == 0) counts_.first_refusal = words;
      on(layout).nearest.add_refused(words);
    };
    if (!outcome.refusal.empty()) return refuse(outcome.refusal);
    const ScheduleOutcome& schedule = outcome.schedules.front();
    if (limits_[layout.cluster] && !schedule.peak_memory)
      return refuse("its order is too large to hold in memory, so whether it fits is unknown");
    if (schedule.peak_memory && exceeds(layout, *schedule.peak_memory)) {
      ++counts_.misfits;
      return;
    }
    keep(index, plan_of(job_, layout, std::move(outcome)));
  }

  // Contract: the plan fits.
  void keep(std::size_t index, EvaluatedPlan plan) {
    const PlanLayout& layout = layouts_[index];
    const JobCluster& cluster = job_.clusters[layout.cluster];
    const bool leads_launches = may_launch_best(layout, plan.value) && launches_.reason(layout).empty();
    OnDevices& alike = on(layout);
    lower(alike.least, plan.value);
    if (leads_launches) lower(alike.least_launchable, plan.value);
    if (!cluster.is_bound) lower(least_as_stated_[{cluster.stated, layout.devices}], plan.value);
    if (const auto beyond = limit_broken_by(job_, plan)) {
      ++counts_.beyond_limits;
      return alike.nearest.add(*beyond);
    }
    alike.has_plan = true;
    FrameworkAnswer& answer = answers_[layout.cluster];
    if (!answer.best || precedes(plan, *answer.best)) answer.best = plan;
    if (leads_launches && (!answer.launchable || precedes(plan, *answer.launchable)))
      answer.launchable = plan;
    if (!cluster.is_bound) rank(index, std::move(plan));
  }

  static bool precedes(const EvaluatedPlan& a, const EvaluatedPlan& b) {
    return std::pair(a.value, a.layout) < std::pair(b.value, b.layout);
  }

  static void lower(std::optional<double>& least, double value) {
    least = std::min(value, least.value_or(value));
  }

  void rank(std::size_t index, EvaluatedPlan plan) {
    choices_.add(index, plan.value);
    plans_.insert(std::upper_bound(plans_.begin(), plans_.end(), plan, precedes), std::move(plan));
  }

  std::vector<WithoutPlan> without() const {
    std::vector<WithoutPlan> all;
    for (std::size_t first = 0; first < job_.clusters.size(); ++first) {
      if (!is_first_as_stated(job_, job_.clusters[first])) continue;
      for (const std::uint32_t devices : job_.clusters[first].devices)
        if (const auto nearest = nearest_without_plan(first, devices))
          all.push_back({first, devices, refusal_of(job_, *nearest)});
    }
    return all;
  }

  // Of the stated cluster that begins with `first`; nothing if one of its frameworks has a plan.
  std::optional<NearestLayouts> nearest_without_plan(std::size_t first, std::uint32_t devices) const {
    NearestLayouts together;
    for (std::size_t i = first; i < job_.clusters.size(); ++i) {
      if (job_.clusters[i].stated != job_.clusters[first].stated || job_.clusters[i].is_bound) continue;
      if (on_devices_.at({i, devices}).has_plan) return std::nullopt;
      together.add(on_devices_.at({i, devices}).nearest);
    }
    return together;
  }

  // Of all clusters but bounds.
  NearestLayouts nearest() const {
    NearestLayouts all;
    for (const auto& [devices, known] : on_devices_)
      if (!job_.clusters[devices.first].is_bound) all.add(known.nearest);
    return all;
  }

  std::string refusal(std::size_t cluster) const {
    NearestLayouts all;
    for (const std::uint32_t devices : job_.clusters[cluster].devices)
      all.add(on_devices_.at({cluster, devices}).nearest);
    return refusal_of(job_, all);
  }

  std::vector<FrameworkAnswer> answers() {
    std::vector<FrameworkAnswer> all;
    for (FrameworkAnswer& answer : answers_) {
      const JobCluster& cluster = job_.clusters[answer.cluster];
      if (cluster.framework.empty() && !cluster.is_bound) continue;
      if (!answer.best)
        answer.why = refusal(answer.cluster);
      else if (!cluster.is_bound)
        answer.unlaunched = launches_.reason(answer.best->layout);
      all.push_back(std::move(answer));
    }
    return all;
  }

  std::string commonest_reason() const {
    const auto most = std::ranges::max_element(
        unlaunchable_, [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == unlaunchable_.end() ? "" : most->first;
  }

  // A new tie begins at a plan that can be told apart from the first plan of the current tie.
  std::vector<EvaluatedPlan> ranked() {
    std::size_t tie = 0;
    const EvaluatedPlan* first = nullptr;
    for (EvaluatedPlan& plan : plans_) {
      const auto apart = [&] {
        return plan.value > first->value * (1 + margin(job_, job_.clusters[first->layout.cluster],
                                                       job_.clusters[plan.layout.cluster]));
      };
      if (!first || apart()) {
        first = &plan;
        ++tie;
      }
      plan.tie = tie;
    }
    return std::move(plans_);
  }

  const PlanJob& job_;
  const std::vector<PlanLayout>& layouts_;
  const unsigned threads_;
  LayoutBounds bounds_;
  LaunchCheck launches_;
  std::vector<std::optional<Bytes>> limits_;  // of memory, by cluster
  SearchCounts counts_;
  std::priority_queue<Waiting> waiting_;
  std::vector<Waiting> parked_;       // out of reach of the best plan so far
  std::vector<EvaluatedPlan> plans_;  // best first
  ChoiceValues choices_;
  std::map<std::pair<std::size_t, std::uint32_t>, OnDevices> on_devices_;  // by cluster and devices
  // The least value by stated cluster and devices, as OnDevices has it for one framework.
  std::map<std::pair<std::size_t, std::uint32_t>, std::optional<double>> least_as_stated_;
  std::vector<FrameworkAnswer> answers_;             // by cluster
  std::map<std::string, std::size_t> unlaunchable_;  // layouts by reason
};

}  // namespace

SearchResult search_plans(const PlanJob& job, const std::vector<PlanLayout>& layouts, StageLayers& layers,
                          std::size_t top, const ComputeRound& compute, unsigned threads,
                          const OnRound& on_round) {
  return Search(job, layouts, layers, std::max(top, kComparedChoices), threads).run(compute, on_round);
}

}  // namespace spillway
