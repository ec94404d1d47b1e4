#include "synthesize/placement_search.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "derive/owner.h"
#include "experiment/derive_options.h"
#include "synthesize/exact_order.h"
#include "synthesize/planning_judge.h"
#include "synthesize/static_bound.h"

namespace spillway {
namespace {

// A step that is this close to its bound is as fast: the two add the same times up in different orders.
constexpr double kSameStep = 1 + 1e-9;

// Small steps are proved by all active orders, under each choice of owners.
constexpr std::size_t kMostPasses = 40;
constexpr double kMostMaps = 300;

Seconds mean_step(const OwnedOrder& order) {
  SequencedStep step;
  ensure(order.step->graph().run(order.sequences, order.step->durations(), step),
         "a derived order is acyclic");
  return step.mean(order.step->replicas());
}

}  // namespace

PlacementSearch::PlacementSearch(const DrawCosts& costs, std::vector<ScheduleSpec> starts,
                                 std::optional<Bytes> limit, std::uint64_t seed,
                                 std::vector<std::uint32_t> draws, std::vector<std::uint32_t> only_walked)
    : costs_(costs),
      starts_(std::move(starts)),
      limit_(limit),
      draws_(std::move(draws)),
      walked_draws_(std::move(only_walked)),
      search_(
          all_starts(), [this](const OwnerMaps& owners) { return priced(owners); },
          [this](const OwnedOrder& order, OrderSearch::Walked walked) { return fits(order, walked); }, seed) {
}

PlacementSearch::PlacementSearch(const DrawCosts& costs, std::vector<ScheduleSpec> starts,
                                 std::optional<Bytes> limit, std::uint64_t seed)
    : PlacementSearch(costs, std::move(starts), limit, seed, searched_draws(costs.experiment()),
                      compared_draws(costs.experiment())) {}

// All orders are derived from one listed skeleton, so that they number their passes alike up to owners.
std::shared_ptr<const PricedStep> PlacementSearch::priced(const OwnerMaps& owners) {
  const ScheduleSpec& spec = starts_.front();
  DeriveOptions options = derive_options(costs_.experiment(), spec);
  options.owners = owners;
  options.placed = {};
  Derived derived = derive(costs_.experiment().model, spec.schedule, spec.cut, options);
  if (first_) return std::make_shared<const PricedStep>(std::move(derived), first_);
  first_ = std::make_shared<const PricedStep>(
      std::move(derived), [this](const Derived& of) { return cost_models(costs_, of, draws_); }, limit_);
  return first_;
}

OwnedOrder PlacementSearch::start_of(const ScheduleSpec& spec) {
  const DeriveOptions options = derive_options(costs_.experiment(), spec);
  const Derived own = derive(costs_.experiment().model, spec.schedule, spec.cut, options);
  OwnedOrder order{priced(options.owners), sequences_of(own.order)};
  for (auto& sequence : order.sequences)
    for (std::uint32_t& pass : sequence) pass = order.step->pass_of(own.order.event(EventId(pass)));
  return order;
}

std::vector<OwnedOrder> PlacementSearch::all_starts() {
  std::vector<OwnedOrder> all;
  for (const ScheduleSpec& spec : starts_) {
    all.push_back(start_of(spec));
    const Seconds step = mean_step(all.back());
    if (all.size() == 1 || step < named_) {
      named_ = step;
      nearest_ = all.size() - 1;
    }
  }
  return all;
}

ScheduleSpec PlacementSearch::spec_of(const OwnedOrder& order) const {
  return in_order(starts_.front(), order.step->derived(), order.sequences);
}

// Models price every choice of owners, and view the step that they are made for.
const CostModels& PlacementSearch::other_models() {
  if (!other_models_) other_models_ = cost_models(costs_, first_->derived(), walked_draws_);
  return *other_models_;
}

// Walks the memory of every rank at the times of each walked draw.
bool PlacementSearch::fits(const OwnedOrder& order, OrderSearch::Walked walked) {
  if (!limit_) return true;
  const ScheduleSpec spec = spec_of(order);
  const Derived derived =
      derive(costs_.experiment().model, spec.schedule, spec.cut, derive_options(costs_.experiment(), spec));
  const bool all = walked == OrderSearch::Walked::All;
  Bytes most = most_memory_of(derived, order.step->models(), all ? draws_.size() : kWalked);
  if (all && !walked_draws_.empty() && walked_draws_ != draws_)
    most = std::max(most, most_memory_of(derived, other_models(), walked_draws_.size()));
  least_memory_ = std::min(least_memory_.value_or(most), most);
  return most <= *limit_;
}

Seconds PlacementSearch::bound() const {
  const PricedStep& step = search_.found() ? *search_.best().step : *search_.first().step;
  return limited_bound(step.derived(), step.models(), limit_);
}

// Returns every choice of owners, if the step is small enough to ask all active orders of each, and else
// nothing. One lane has to stand for all, and transfers may keep no rank waiting.
std::vector<OwnerMaps> PlacementSearch::all_owners() const {
  const PricedStep& step = *first_;
  const Pipeline& pipeline = step.derived().pipeline;
  const std::size_t encodes = step.derived().inputs() * pipeline.microbatches;
  if (step.durations().lanes() > 1 || step.derived().point_to_point != PointToPoint::Overlapped) return {};
  if (step.needs().event.size() > kMostPasses || std::pow(pipeline.ranks, encodes) > kMostMaps) return {};
  std::vector<OwnerMaps> all;
  OwnerMap owners(encodes);
  for (bool more = true; more;) {
    all.push_back(by_input(owners, pipeline.microbatches));
    const auto next =
        std::ranges::find_if(owners, [&](RankId rank) { return rank.index() + 1 < pipeline.ranks; });
    std::fill(owners.begin(), next, RankId(0));
    more = next != owners.end();
    if (more) *next = RankId(next->index() + 1);
  }
  return all;
}

bool PlacementSearch::prove(std::uint64_t nodes) {
  Seconds least = search_.step();
  const std::vector<OwnerMaps> all = all_owners();
  if (all.empty()) return least <= bound() * kSameStep;
  for (const OwnerMaps& owners : all) {
    const std::shared_ptr<const PricedStep> step = priced(owners);
    auto faster = exact_order(step->needs(), step->derived().pipeline.ranks, least, nodes);
    if (nodes == 0) return false;
    if (!faster) continue;
    OwnedOrder order{step, *std::move(faster)};
    if (!fits(order, OrderSearch::Walked::All)) return false;
    least = mean_step(order);
    proved_ = std::move(order);
  }
  return true;
}

}  // namespace spillway
