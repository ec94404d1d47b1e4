#include "search/answer/plan_rows.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "search/known_error.h"
#include "search/plan_choice.h"

namespace spillway {
namespace {

using OnDevices = std::pair<std::size_t, std::uint32_t>;  // stated cluster and devices

class Folding {
 public:
  Folding(const PlanJob& job, const std::vector<EvaluatedPlan>& plans, std::size_t top,
          const CanLaunch& can_launch)
      : job_(job),
        plans_(plans),
        compared_(std::max(top, kComparedChoices)),
        can_launch_(can_launch),
        choices_(job) {
    for (std::size_t plan = 0; plan < plans.size(); ++plan) fold(plan);
  }

  PlanRows rows(std::size_t top, std::optional<std::size_t> to_launch) {
    std::map<OnDevices, std::size_t> leading;
    for (const auto& [devices, folds] : on_devices_) leading[devices] = leader(folds);
    PlanRows all{{}, {}, next(ordered(leading, compared_, {})), tied()};
    const std::size_t first = leading.at(on(0));
    if (to_launch && can_launch_(shown(first))) to_launch.reset();
    if (to_launch) to_launch = fold_of(*to_launch);
    const std::vector<std::size_t> order = ordered(leading, top, to_launch);
    for (const std::size_t f : order) all.rows.push_back(row(f));
    for (const auto& [devices, f] : leading)
      all.bests.push_back({devices.first, devices.second, optimum(devices),
                           static_cast<std::size_t>(std::ranges::find(order, f) - order.begin()), false});
    mark_clusters(all.bests);
    return all;
  }

 private:
  // Plans of a choice. In the first choices they tie with the first plan, in others with the optimum on their
  // devices: these plans the search has evaluated all.
  using Fold = std::vector<std::size_t>;

  OnDevices on(std::size_t plan) const {
    const PlanLayout& layout = plans_[plan].layout;
    return {job_.clusters[layout.cluster].stated, layout.devices};
  }

  bool ties(std::size_t plan, std::size_t best) const {
    const JobCluster& cluster = job_.clusters[plans_[plan].layout.cluster];
    return plans_[plan].value <= plans_[best].value * (1 + margin(job_, cluster, cluster));
  }

  void fold(std::size_t plan) {
    const auto [known, is_new] = by_choice_.emplace(choices_.of(plans_[plan].layout), folds_.size());
    const std::size_t f = known->second;
    if (is_new) {
      folds_.push_back({plan});
      shown_.emplace_back();
      on_devices_[on(plan)].push_back(f);
    } else if (ties(plan, f < compared_ ? folds_[f].front() : optimum(on(plan)))) {
      folds_[f].push_back(plan);
    }
  }

  std::size_t optimum(const OnDevices& devices) const {
    return folds_[on_devices_.at(devices).front()].front();
  }

  // A plan that cannot be told apart from its choice's best is in the fold of its choice. Others get their
  // own.
  std::size_t fold_of(std::size_t plan) {
    for (std::size_t f = 0; f < folds_.size(); ++f)
      if (std::ranges::count(folds_[f], plan) > 0) return f;
    folds_.push_back({plan});
    shown_.emplace_back();
    return folds_.size() - 1;
  }

  // The folds that are rows, the leader on the best plan's devices first: with it the first `top`, those that
  // lead on other devices, and one more.
  std::vector<std::size_t> ordered(const std::map<OnDevices, std::size_t>& leading, std::size_t top,
                                   std::optional<std::size_t> more) {
    const std::size_t first = leading.at(on(0));
    std::set<std::size_t> folds{first};
    for (std::size_t f = 0; f < folds_.size() && folds.size() < top; ++f) folds.insert(f);
    if (more) folds.insert(*more);
    for (const auto& [devices, f] : leading) folds.insert(f);
    std::vector<std::size_t> order(folds.begin(), folds.end());
    std::ranges::sort(order, {}, [&](std::size_t f) { return std::pair(f != first, shown(f)); });
    return order;
  }

  bool leads(std::size_t one, std::size_t other) const {
    const PlanLayout &a = plans_[one].layout, &b = plans_[other].layout;
    if (can_launch_(one) != can_launch_(other)) return can_launch_(one);
    if (is_simpler(job_, a, b) || is_simpler(job_, b, a)) return is_simpler(job_, a, b);
    return one < other;  // plans are sorted
  }

  std::size_t shown(std::size_t f) {
    if (!shown_[f])
      shown_[f] = *std::ranges::min_element(folds_[f], [&](auto a, auto b) { return leads(a, b); });
    return *shown_[f];
  }

  std::optional<std::size_t> next(const std::vector<std::size_t>& order) {
    const std::size_t better = on_devices_.at(on(0)).front();
    const auto found =
        std::find_if(order.begin() + 1, order.end(), [&](std::size_t f) { return f != better; });
    return found == order.end() ? std::nullopt : std::optional(shown(*found));
  }

  // Of folds on the same devices; the first has the optimum.
  std::size_t leader(const std::vector<std::size_t>& folds) {
    const std::size_t optimum = folds_[folds.front()].front();
    std::size_t best = folds.front();
    for (const std::size_t f : folds)
      if (ties(folds_[f].front(), optimum) && ties(shown(f), optimum) && leads(shown(f), shown(best)))
        best = f;
    return best;
  }

  PlanRow row(std::size_t f) {
    PlanRow row{shown(f), folds_[f]};
    std::erase(row.folded, row.shown);
    return row;
  }

  std::size_t tied() {
    std::size_t tied = 0;
    for (std::size_t f = 0; f < folds_.size() && plans_[folds_[f].front()].tie == 1; ++f)
      tied += plans_[shown(f)].tie == 1;
    return tied;
  }

  void mark_clusters(std::vector<DevicesBest>& bests) const {
    std::map<std::size_t, DevicesBest*> of_cluster;
    for (DevicesBest& best : bests) {
      DevicesBest*& known = of_cluster[best.stated];
      if (!known || best.optimum < known->optimum) known = &best;
    }
    for (const auto& [cluster, best] : of_cluster) best->of_cluster = true;
  }

  const PlanJob& job_;
  const std::vector<EvaluatedPlan>& plans_;
  const std::size_t compared_;  // the search has evaluated every tie of so many choices
  const CanLaunch& can_launch_;
  const PlanChoices choices_;
  std::map<PlanLayout, std::size_t> by_choice_;
  std::vector<Fold> folds_;  // by their best plans
  std::vector<std::optional<std::size_t>> shown_;
  std::map<OnDevices, std::vector<std::size_t>> on_devices_;
};

}  // namespace

PlanRows rows_of(const PlanJob& job, const std::vector<EvaluatedPlan>& plans, std::size_t top,
                 const CanLaunch& can_launch, std::optional<std::size_t> to_launch) {
  return Folding(job, plans, top, can_launch).rows(top, to_launch);
}

}  // namespace spillway
