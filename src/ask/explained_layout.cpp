#include "ask/explained_layout.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "draws/fold.h"
#include "evaluate/evaluate.h"
#include "evaluate/memory_limit.h"
#include "search/answer/plan_offers.h"
#include "search/bounds.h"
#include "search/known_error.h"

namespace spillway {
namespace {

std::vector<LayerRange> layers_of_rank(const Outline& outline, std::uint32_t rank) {
  std::vector<LayerRange> all;
  for (const Stage& stage : outline.stages)
    if (stage.rank.index() == rank) all.push_back(stage.layers);
  return all;
}

// Nothing of a step that is too large to be held.
std::vector<RankMemory> memory_by_rank(const Experiment& experiment) try {
  const Evaluation evaluation = evaluate(experiment, {.run = {Engine::LongestPath}});
  const ScheduleResult& schedule = evaluation.schedules.front();
  std::vector<RankMemory> all;
  for (std::uint32_t rank = 0; rank < experiment.pipeline.ranks; ++rank)
    if (const auto worst = worst_peak(schedule, RankId(rank)))
      all.push_back({rank, layers_of_rank(*schedule.derived, rank), worst->peak.parts});
  return all;
} catch (const InputError&) {
  return {};
} catch (const Infeasible&) {
  return {};
}

// Those that fit first, the fastest first; then the least memory; impossible ones last.
void sort_by_use(std::vector<TriedLayout>& tried) {
  std::ranges::stable_sort(tried, [](const TriedLayout& a, const TriedLayout& b) {
    const auto key = [](const TriedLayout& one) {
      const bool fits = one.trial.fits.value_or(false);
      return std::tuple(!one.trial.is_known(), !fits,
                        fits ? one.trial.value : one.trial.memory.value_or(Bytes()).value());
    };
    return key(a) < key(b);
  });
}

std::vector<TriedLayout> tried_all(LayoutTrials& trials, const std::vector<LayoutChange>& changes) {
  std::vector<TriedLayout> all;
  for (const LayoutChange& change : changes) all.push_back({change, trials(change)});
  return all;
}

class Explanation {
 public:
  Explanation(const AskedLayout& asked, const SearchResult& result, std::size_t top)
      : asked_(asked), job_(asked.job), result_(result), top_(top), trials_(asked.job), own_(asked.layout) {}

  ExplainedLayout run() {
    all_.own = trials_(own_);
    compare_lists();
    if (asked_.lists_schedule && !all_.planned_as.empty()) all_.own = trials_(own_ = searched_);
    if (!result_.plans.empty()) stand_beside(result_.plans.front());
    if (all_.own.rules.empty()) look_closer();
    if (!result_.plans.empty()) {
      stand_among_rows();
      lead_to_target();
      account_for_steps();
    }
    all_.fate = fate();
    if (all_.fate == LayoutFate::DoesNotFit)
      all_.misfit = explain_misfit(trials_, job_, own_, asked_.planned);
    return std::move(all_);
  }

 private:
  void compare_lists() {
    all_.unlisted = unlisted_values(job_, asked_.layout);
    if (!asked_.lists_schedule)
      all_.unlisted.push_back({"schedule", "a schedule and stages that the job searches",
                               job_.search.schedules[schedule()].name});
    if (!all_.own.rules.empty()) return;
    const std::size_t planned = planned_schedule(job_, asked_.layout);
    if (planned != schedule()) all_.planned_as = job_.search.schedules[planned].name;
    searched_ = asked_.layout;
    searched_.schedule = planned;
  }

  std::size_t schedule() const { return asked_.layout.schedule; }

  void stand_beside(const EvaluatedPlan& best) {
    all_.best = best;
    all_.margin = margin(job_, job_.clusters[best.layout.cluster], job_.clusters[asked_.layout.cluster]);
    if (own_ != best.layout)
      all_.towards_best = tried_all(trials_, changes_towards(job_, own_, best.layout, asked_.planned));
  }

  void look_closer() {
    LayoutBounds bounds(job_, trials_.layers());
    all_.memory_bound = bounds.memory(own_);
    all_.step_bound = bounds.step(own_);
    const auto found = std::ranges::find(result_.plans, searched_, &EvaluatedPlan::layout);
    if (found != result_.plans.end())
      all_.place = static_cast<std::size_t>(found - result_.plans.begin()) + 1;
    if (!all_.own.is_known()) return;
    const Experiment experiment = trials_.experiment_of(own_);
    all_.launch = launch_offer(experiment, experiment.schedules.front());
    all_.interval =
        step_intervals(folded(experiment, Links::Own), experiment.schedules, trials_.orders()).front();
  }

  // Contract: there is a plan, and the layout's place is known.
  void stand_among_rows() {
    PlanOffers offers(result_.plans, trials_.layers());
    const PlanRows rows = rows_of_search(job_, result_.plans, result_.answers, top_, offers);
    const std::size_t first = rows.rows.front().shown;
    all_.recommended = {result_.plans[first], offers.of(first), first + 1, offers.of(0).reason};
    const std::size_t own = all_.place - 1;
    for (std::size_t row = 0; row < rows.rows.size() && all_.place > 0; ++row) {
      const bool folded = std::ranges::count(rows.rows[row].folded, own) > 0;
      if (!folded && rows.rows[row].shown != own) continue;
      all_.row = row + 1;
      all_.is_folded = folded;
    }
  }

  // Contract: plan 1 is known.
  void lead_to_target() {
    const PlanLayout& first = all_.recommended->plan.layout;
    const bool to_best = own_ == first;
    const PlanLayout& to = to_best ? all_.best->layout : first;
    if (own_ == to) return;
    all_.way = {to_best, tried_all(trials_, changes_towards(job_, own_, to, asked_.planned))};
    if (all_.own.is_known()) all_.way->steps = way_towards(trials_, job_, own_, to, asked_.planned);
  }

  void account_for_steps() {
    const auto account = [&](const PlanLayout& layout) {
      return time_account(trials_.experiment_of(layout), trials_.orders());
    };
    const PlanLayout &first = all_.recommended->plan.layout, &best = all_.best->layout;
    all_.accounts.best = account(best);
    all_.accounts.recommended = first == best ? all_.accounts.best : account(first);
    if (!all_.own.is_known()) return;
    all_.accounts.own = own_ == first  ? all_.accounts.recommended
                        : own_ == best ? all_.accounts.best
                                       : account(own_);
  }

  LayoutFate fate() const {
    const LayoutTrial& own = all_.own;
    if (!own.rules.empty()) return LayoutFate::Illegal;
    if (!own.refusal.empty()) return LayoutFate::Refused;
    if (own.fits == false) return LayoutFate::DoesNotFit;
    if (!all_.unlisted.empty()) return LayoutFate::NotSearched;
    if (job_.launchable && !all_.launch->launch) return LayoutFate::NotLaunchable;
    if (!own.limit.empty()) return LayoutFate::BeyondLimits;
    if (all_.place == 0) return LayoutFate::OutOfReach;
    if (all_.place == all_.recommended->place) return LayoutFate::Recommended;
    if (all_.place == 1) return LayoutFate::Best;
    return own.value <= all_.best->value * (1 + all_.margin) ? LayoutFate::Tied : LayoutFate::Slower;
  }

  const AskedLayout& asked_;
  const PlanJob& job_;
  const SearchResult& result_;
  const std::size_t top_;
  LayoutTrials trials_;
  PlanLayout own_;            // the layout; if its schedule is listed, under the name in which it is planned
  PlanLayout searched_ = {};  // the layout in whose name it is planned
  ExplainedLayout all_ = {.fate = LayoutFate::Illegal, .own = {}};
};

}  // namespace

std::string_view word_of(LayoutFate fate) {
  constexpr std::array<std::string_view, 11> words{
      "illegal",      "refused",     "does-not-fit", "not-searched", "not-launchable", "beyond-limits",
      "out-of-reach", "recommended", "best",         "tied",         "slower"};
  return words[static_cast<std::size_t>(fate)];
}

MisfitAccount explain_misfit(LayoutTrials& trials, const PlanJob& job, const PlanLayout& layout,
                             std::size_t planned) {
  MisfitAccount misfit{memory_by_rank(trials.experiment_of(layout)),
                       tried_all(trials, changes_that_may_save(job, layout, planned))};
  sort_by_use(misfit.changes);
  return misfit;
}

ExplainedLayout explain_layout(const AskedLayout& asked, const SearchResult& result, std::size_t top) {
  return Explanation(asked, result, top).run();
}

}  // namespace spillway
