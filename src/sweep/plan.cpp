#include "sweep/plan.h"

#include <algorithm>

#include "spec/derive_options.h"
#include "sweep/expectations.h"
#include "sweep/order_search.h"
#include "timing/figures.h"
#include "timing/longest_path.h"

namespace spillway {
namespace {

// Expectations are means over this many planning draws.
constexpr std::uint32_t kPlanningSamples = 4;
// The makespan search prices at most this many events, so that planning stays short beside running.
constexpr double kSearchEvents = 4e7;
// A searched order and its owner map are made for each other again at most this many times.
constexpr int kTurns = 3;

// The draws that stand for what is expected: one alone, or planning draws.
std::vector<std::uint32_t> judged_draws(const DrawCosts& costs, std::optional<std::uint32_t> draw) {
  if (draw) return {*draw};
  if (!draws_differ(costs.experiment())) return {0};
  std::vector<std::uint32_t> draws;
  for (std::uint32_t i = 0; i < kPlanningSamples; ++i) draws.push_back(kPlanningDraws + i);
  return draws;
}

class Planner {
 public:
  Planner(const DrawCosts& costs, const ScheduleSpec& schedule, std::optional<std::uint32_t> draw)
      : costs_(costs),
        schedule_(schedule),
        from_draw_(draw),
        draws_(judged_draws(costs, draw)),
        options_(derive_options(costs.experiment(), schedule)) {
    const auto& skeletons = schedule.schedule.skeletons;
    if (std::any_of(skeletons.begin(), skeletons.end(), plans))
      options_.expected = expectations_of(costs, derive_with({}), draws_);
  }

  Derived derive_with(const OwnerMap& owner) const {
    DeriveOptions options = options_;
    if (!owner.empty()) options.owners = {owner};
    return derive(costs_.experiment().model, schedule_.schedule, schedule_.cut, options);
  }

  const Expectations& expected() const { return options_.expected; }

  // A searched order and its map want each other: of the maps for each rule, the one under which the search
  // goes furthest, and then maps for the positions that it fills, while they get it further still.
  OwnerChoice choose(const Derived& derived) const {
    if (schedule_.order != MicrobatchOrder::Makespan)
      return choose(derived, orders(derived, schedule_.order));
    std::optional<Searched> best;
    for (MicrobatchOrder rule : kOrderRules) {
      OwnerChoice choice = choose(derived, orders(derived, rule));
      if (best && choice.owner == best->owner.owner) continue;
      Searched searched = search(std::move(choice));
      if (!best || searched.makespan < best->makespan) best = std::move(searched);
    }
    for (int turn = 0; turn < kTurns; ++turn) {
      OwnerChoice choice = choose(derived, best->orders);
      if (choice.owner == best->owner.owner) break;
      Searched next = search(std::move(choice));
      if (next.makespan >= best->makespan) break;
      best = std::move(next);
    }
    return std::move(best->owner);
  }

 private:
  // By judged draw and replica. Those by rule follow from the draws alone, whatever the owner map.
  struct Orders {
    MicrobatchOrder rule;
    std::vector<std::vector<Permutation>> by_draw;
  };
  Orders orders(const Derived& derived, MicrobatchOrder rule) const {
    Orders orders{rule, {}};
    for (std::uint32_t draw : draws_)
      orders.by_draw.push_back(order_microbatches(rule, derived, *costs_.of(derived, draw)));
    return orders;
  }

  // A map, the orders found under it, and the mean makespan of both.
  struct Searched {
    OwnerChoice owner;
    Orders orders;
    Seconds makespan;
  };
  Searched search(OwnerChoice owner) const {
    const Derived derived = derive_with(owner.owner);
    Orders found = orders(derived, MicrobatchOrder::Makespan);
    const Seconds makespan = mean_makespan(derived, found);
    return {std::move(owner), std::move(found), makespan};
  }

  OwnerChoice choose(const Derived& derived, const Orders& orders) const {
    const MakespanOf makespan = [&](const OwnerMap& owner) {
      return mean_makespan(derive_with(owner), orders);
    };
    return choose_owner(schedule_.owner, problem(derived, orders), makespan, evaluations(derived));
  }

  OwnerProblem problem(const Derived& derived, const Orders& orders) const {
    OwnerProblem problem{expected_encode(derived, orders), std::vector<Seconds>(derived.pipeline.ranks)};
    const LongestPath longest_path(derived.order);
    for (std::size_t i = 0; i < draws_.size(); ++i) {
      const auto as_sampled = costs_.of(derived, draws_[i]);
      const Prices free = price(derived, ReorderedCosts(*as_sampled, orders.by_draw[i]), EncoderWork::Free);
      const Timeline timeline = longest_path.timeline(free.durations);
      const std::vector<Seconds> slack = warmup_slack(derived, free.durations, timeline);
      for (std::size_t at = 0; at < slack.size(); ++at) {
        problem.slack[at % problem.slack.size()] += slack[at] / weight(derived);
      }
    }
    return problem;
  }

  Seconds mean_makespan(const Derived& derived, const Orders& orders) const {
    const LongestPath longest_path(derived.order);
    PerEvent<Seconds> ends;
    Seconds sum;
    for (std::size_t i = 0; i < draws_.size(); ++i) {
      const auto as_sampled = costs_.of(derived, draws_[i]);
      const Prices prices = price(derived, ReorderedCosts(*as_sampled, orders.by_draw[i]));
      sum += longest_path.makespan(prices.durations, ends);
    }
    return sum / static_cast<double>(draws_.size());
  }

  std::uint32_t evaluations(const Derived& derived) const {
    const double each = static_cast<double>(derived.order.event_count()) * weight(derived);
    return static_cast<std::uint32_t>(std::clamp(kSearchEvents / each, 8.0, 4000.0));
  }

  // Draws times replicas: how many samples a mean is taken over.
  double weight(const Derived& derived) const {
    return static_cast<double>(draws_.size()) * derived.pipeline.replicas;
  }

  // Mean encode time by position. Drawn microbatches are alike before they are drawn, so as sampled their
  // common mean is the expectation of each; sorted, given, or in a map made from its own draw, each position
  // keeps its own.
  std::vector<Seconds> expected_encode(const Derived& derived, const Orders& orders) const {
    std::vector<Seconds> encode(derived.pipeline.microbatches);
    for (std::size_t i = 0; i < draws_.size(); ++i) {
      const auto as_sampled = costs_.of(derived, draws_[i]);
      const ReorderedCosts costs(*as_sampled, orders.by_draw[i]);
      for (std::uint32_t m = 0; m < encode.size(); ++m) {
        for (std::uint32_t replica = 0; replica < derived.pipeline.replicas; ++replica) {
          encode[m] += costs.pass(derived, Pass::Forward, StageId(0), MicrobatchId(m), ReplicaId(replica),
                                  EncoderWork::Counted) /
                       weight(derived);
        }
      }
    }
    const bool alike = orders.rule == MicrobatchOrder::AsSampled && !from_draw_ &&
                       std::holds_alternative<AnalyticExperiment>(costs_.experiment().costs);
    if (!alike) return encode;
    Seconds sum;
    for (Seconds time : encode) sum += time;
    return std::vector<Seconds>(encode.size(), sum / static_cast<double>(encode.size()));
  }

  const DrawCosts& costs_;
  const ScheduleSpec& schedule_;
  std::optional<std::uint32_t> from_draw_;
  std::vector<std::uint32_t> draws_;
  DeriveOptions options_;  // but for the owner maps
};

}  // namespace

PlannedSchedule plan(const DrawCosts& costs, const ScheduleSpec& schedule,
                     std::optional<std::uint32_t> draw) {
  const Planner planner(costs, schedule, draw);
  Derived first = planner.derive_with({});
  if (first.placement.front().layout != Layout::Replicated)
    return {std::move(first), planner.expected(), std::nullopt};
  OwnerChoice choice = planner.choose(first);
  Derived derived = planner.derive_with(choice.owner);
  return {std::move(derived), planner.expected(), std::move(choice)};
}

}  // namespace spillway
