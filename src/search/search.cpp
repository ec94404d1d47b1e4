#include "search/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <utility>

#include "base/in_parallel.h"
#include "base/text.h"
#include "memory/memory_text.h"
#include "search/bounds.h"
#include "search/known_error.h"
#include "search/plan_choice.h"
#include "search/plan_value.h"

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
        top_(top),
        threads_(threads),
        bounds_(job, layers),
        limits_(job.clusters.size()) {
    counts_.legal = layouts.size();
    number_choices();
    for (std::size_t i = 0; i < job.clusters.size(); ++i)
      for (const std::uint32_t devices : job.clusters[i].devices) on_devices_[{i, devices}];
    for (std::size_t i = 0; i < job.clusters.size(); ++i) limits_[i] = usable_memory(job, job.clusters[i]);
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
    counts_.pruned_by_bound = counts_.legal - counts_.pruned_by_memory - counts_.evaluated;
    std::vector<WithoutPlan> without = this->without();
    if (!plans_.empty()) return {counts_, ranked(), std::move(without)};
    const OnDevices all = together();
    const bool misfit = all.misfit && !all.limit;
    return {counts_,
            {},
            std::move(without),
            refusal(all),
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
  };

  struct Misfit {
    PlanLayout layout;
    Bytes memory, beyond;
  };

  // What is known of the layouts on a number of a cluster's devices.
  struct OnDevices {
    // The least value of the plans that fit, also if they exceed a limit: then all that take longer do.
    std::optional<double> least;
    bool has_plan = false;
    std::optional<Misfit> misfit;      // of least excess
    std::optional<BrokenLimit> limit;  // the nearest
    std::size_t refused = 0;
    std::string first_refusal = {};
  };

  // Returns true if the layout needs more memory than a device has. Remembers the least excess, for the
  // message if nothing fits.
  bool exceeds(const PlanLayout& layout, Bytes memory) {
    const auto& limit = limits_[layout.cluster];
    if (!limit || memory <= *limit) return false;
    std::optional<Misfit>& least = on(layout).misfit;
    if (!least || memory - *limit < least->beyond) least = {layout, memory, memory - *limit};
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
      else
        waiting.push_back({value_of_step(job_, layout, bounds[i].step), layouts[i], fine});
    }
    return waiting;
  }

  // Bounds only the memory of a layout that does not fit.
  Bound bound_of(const PlanLayout& layout, bool fine) {
    const Bytes memory = fine ? bounds_.memory(layout) : bounds_.rough_memory(layout);
    if (limits_[layout.cluster] && memory > *limits_[layout.cluster]) return {memory, {}};
    return {memory, fine ? bounds_.step(layout) : bounds_.rough_step(layout)};
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

  void number_choices() {
    const PlanChoices choices(job_);
    std::map<PlanLayout, std::size_t> known;
    for (const PlanLayout& layout : layouts_)
      choice_of_.push_back(known.emplace(choices.of(layout), known.size()).first->second);
    choices_.resize(known.size());
  }

  // The value of the last choice that is shown; more than any value if all found ones are shown.
  double last_shown() {
    if (last_shown_) return *last_shown_;
    std::vector<double> values;
    for (const std::optional<double>& choice : choices_)
      if (choice) values.push_back(*choice);
    if (values.size() < top_) return *(last_shown_ = std::numeric_limits<double>::infinity());
    std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(top_ - 1));
    return *(last_shown_ = values[top_ - 1]);
  }

  // Up to this value a layout may be the best of a choice that is shown or tie with it, tie with the best of
  // all, or tie with the best on its devices, whose value is `own`.
  double reach(std::size_t index, double own) {
    const JobCluster& cluster = job_.clusters[layouts_[index].cluster];
    const double near = 1 + margin(job_, cluster, cluster), shown = last_shown();
    const std::optional<double>& choice = choices_[choice_of_[index]];
    double most = std::max(own * near, choice && *choice <= shown ? *choice * near : shown);
    if (plans_.empty()) return most;
    const EvaluatedPlan& best = plans_.front();
    return std::max(most, best.value * (1 + margin(job_, job_.clusters[best.layout.cluster], cluster)));
  }

  bool is_out_of_reach(std::size_t index, double bound) {
    const std::optional<double>& own = on(layouts_[index]).least;
    return own && bound > reach(index, *own);
  }

  // A choice that is found, or a best plan on another cluster, may widen the reach again.
  void look_again() {
    const auto within = std::ranges::partition(
        parked_, [&](const Waiting& one) { return is_out_of_reach(one.layout, one.bound); });
    for (const Waiting& one : within) waiting_.push(one);
    parked_.erase(within.begin(), within.end());
  }

  std::vector<std::size_t> next_round() {
    std::vector<std::size_t> round;
    while (round.size() < kRound) {
      if (waiting_.empty() && round.empty()) look_again();
      if (waiting_.empty()) break;
      const Waiting next = waiting_.top();
      const bool out_of_reach = is_out_of_reach(next.layout, next.bound);
      if (!out_of_reach && !next.fine) {
        refine();
        continue;
      }
      waiting_.pop();
      if (out_of_reach)
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
      const std::string words = named(layout) + ": " + why;
      if (counts_.refused++ == 0) counts_.first_refusal = words;
      if (on(layout).refused++ == 0) on(layout).first_refusal = words;
    };
    if (!outcome.refusal.empty()) return refuse(outcome.refusal);
    const ScheduleOutcome& schedule = outcome.schedules.front();
    if (limits_[layout.cluster] && !schedule.peak_memory)
      return refuse("its order is too large to hold in memory, so whether it fits is unknown");
    if (schedule.peak_memory && exceeds(layout, *schedule.peak_memory)) {
      ++counts_.misfits;
      return;
    }
    EvaluatedPlan plan = plan_of(job_, layout, std::move(outcome));
    OnDevices& alike = on(layout);
    alike.least = std::min(plan.value, alike.least.value_or(plan.value));
    if (const auto beyond = limit_broken_by(job_, plan)) {
      ++counts_.beyond_limits;
      if (!alike.limit || beyond->second < alike.limit->second) alike.limit = *beyond;
      return;
    }
    alike.has_plan = true;
    const auto before = [](const EvaluatedPlan& a, const EvaluatedPlan& b) {
      return std::pair(a.value, a.layout) < std::pair(b.value, b.layout);
    };
    std::optional<double>& choice = choices_[choice_of_[index]];
    choice = std::min(plan.value, choice.value_or(plan.value));
    last_shown_.reset();
    plans_.insert(std::upper_bound(plans_.begin(), plans_.end(), plan, before), std::move(plan));
  }

  std::string named(const PlanLayout& layout) const {
    return fmt::format("{} with {}, P={} TP={} CP={} EP={}, {}",
                       job_.clusters[layout.cluster].platform().name, counted(layout.devices, "device"),
                       layout.ranks, layout.tensor, layout.context, layout.expert,
                       job_.search.schedules[layout.schedule].name);
  }

  // Says of all these layouts why none is a plan.
  std::string refusal(const OnDevices& all) const {
    std::string why;
    if (all.limit)
      why = "no plan keeps within the limits: the nearest takes " + all.limit->first;
    else if (all.misfit)
      why = fmt::format("no plan fits: the nearest, {}, needs at least {}, {} more than a device may use",
                        named(all.misfit->layout), bytes_text(all.misfit->memory),
                        bytes_text(all.misfit->beyond));
    if (all.refused > 0) {
      const std::string refused = fmt::format("{} cannot be evaluated, the first, {}",
                                              counted(all.refused, "layout"), all.first_refusal);
      return why.empty() ? "no plan: " + refused : why + "; " + refused;
    }
    if (!why.empty()) return why;
    return "no layout is legal: no number of ranks, tensor-, context- and expert-parallel devices divides "
           "the devices, the model and the batch";
  }

  std::vector<WithoutPlan> without() const {
    std::vector<WithoutPlan> all;
    for (const auto& [devices, known] : on_devices_)
      if (!known.has_plan) all.push_back({devices.first, devices.second, refusal(known)});
    return all;
  }

  // Of all clusters: the nearest.
  OnDevices together() const {
    OnDevices all;
    all.refused = counts_.refused;
    all.first_refusal = counts_.first_refusal;
    for (const auto& [devices, known] : on_devices_) {
      if (known.limit && (!all.limit || known.limit->second < all.limit->second)) all.limit = known.limit;
      if (known.misfit && (!all.misfit || known.misfit->beyond < all.misfit->beyond))
        all.misfit = known.misfit;
    }
    return all;
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
  const std::size_t top_;
  const unsigned threads_;
  LayoutBounds bounds_;
  std::vector<std::optional<Bytes>> limits_;  // of memory, by cluster
  SearchCounts counts_;
  std::priority_queue<Waiting> waiting_;
  std::vector<Waiting> parked_;                 // out of reach of the best plan so far
  std::vector<EvaluatedPlan> plans_;            // best first
  std::vector<std::size_t> choice_of_;          // by layout
  std::vector<std::optional<double>> choices_;  // the least value of their plans
  std::optional<double> last_shown_;            // if no plan came since it was computed
  std::map<std::pair<std::size_t, std::uint32_t>, OnDevices> on_devices_;  // by cluster and devices
};

}  // namespace

double useful_tokens(const PointOutcome& outcome) {
  double sum = 0;
  for (const StepAccount& account : outcome.accounts) sum += account.useful_tokens;
  return sum / static_cast<double>(outcome.accounts.size());
}

std::optional<double> days_of(const PlanJob& job, const EvaluatedPlan& plan) {
  if (!job.tokens) return std::nullopt;
  return *job.tokens / useful_tokens(plan.outcome) * plan.step.value() / kSecondsOfADay;
}

std::optional<Dollars> price_of(const PlanJob& job, const EvaluatedPlan& plan) {
  if (!job.tokens || !plan.step_cost) return std::nullopt;
  return *plan.step_cost * (*job.tokens / useful_tokens(plan.outcome));
}

SearchResult search_plans(const PlanJob& job, const std::vector<PlanLayout>& layouts, StageLayers& layers,
                          std::size_t top, const ComputeRound& compute, unsigned threads,
                          const OnRound& on_round) {
  return Search(job, layouts, layers, std::max(top, kComparedChoices), threads).run(compute, on_round);
}

}  // namespace spillway
