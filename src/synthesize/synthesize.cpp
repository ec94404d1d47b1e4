#include "synthesize/synthesize.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <variant>

#include "draws/fold.h"
#include "draws/layer_times.h"
#include "draws/schedule_facts.h"
#include "evaluate/fit.h"
#include "evaluate/memory_limit.h"
#include "evaluate/steps.h"
#include "memory/memory_text.h"
#include "synthesize/found_entry.h"
#include "synthesize/made_placements.h"
#include "synthesize/named_starts.h"
#include "synthesize/planning_judge.h"
#include "synthesize/search_portfolio.h"
#include "synthesize/static_bound.h"

namespace spillway {
namespace {

constexpr std::uint64_t kExactNodes = 300'000;
constexpr std::size_t kPlacements = 8;
// Named starts that are judged beside the experiment's schedules.
constexpr std::size_t kJudged = 3;
constexpr Engines kLongestPathAlone{.run = {Engine::LongestPath}};

// A named schedule on the planning draws.
struct Planned {
  NamedStart start;
  PlannedFigures figures;
  std::optional<ScheduleSpec> listed;  // empty: its order cannot be searched
};

bool is_better(const PlannedFigures& one, const PlannedFigures& other) {
  return one.fits != other.fits ? one.fits : one.step < other.step;
}

// A found order has to gain this share of the step, and else a named one is taken. If draws differ, a smaller
// gain on some of them would be chance on others.
constexpr double kWorthwhile = 1e-4, kWorthwhileIfDrawn = 1e-3;

bool is_better_by(double share, const PlannedFigures& one, const PlannedFigures& other) {
  return is_better(one, {other.step * (1 - share), other.peak, other.fits});
}

// The same schedule under another name.
bool is_same(ScheduleSpec one, const ScheduleSpec& other) {
  one.name = other.name;
  return one == other;
}

bool moves_samples(const Experiment& experiment, const ScheduleSpec& spec) {
  return terms_of(spec, experiment.pipeline, experiment.costs).moves_samples ||
         spec.regrouping.rule != Regrouping::Rule::AsDrawn;
}

// Samples that move and plans that know the draw are not what one static order can be compared with.
std::optional<std::string> unequal(const Experiment& experiment, const ScheduleSpec& spec) {
  if (moves_samples(experiment, spec)) return "its samples move";
  if (spec.plans_by_sizes()) return "it knows the sizes of each draw";
  return std::nullopt;
}

// The first skeleton of the pipeline that the framework does not have, if there is one.
std::optional<std::string> lacking(const std::vector<Skeleton>& has, const ScheduleSpec& spec) {
  if (has.empty()) return std::nullopt;
  for (const Skeleton& one : spec.schedule.skeletons)
    if (layout_of(one) == Layout::Sharded && std::ranges::find(has, one) == has.end())
      return "the framework lacks " + to_string(one);
  return std::nullopt;
}

// A name that no schedule has.
std::string new_name(const Experiment& experiment, const std::string& wanted) {
  std::string name = wanted;
  for (std::uint32_t number = 2;
       std::ranges::any_of(experiment.schedules, [&](const ScheduleSpec& spec) { return spec.name == name; });
       ++number)
    name = wanted + '-' + std::to_string(number);
  return name;
}

class Synthesizer {
 public:
  Synthesizer(const Experiment& experiment, const SynthesisRequest& request)
      : experiment_(experiment), request_(request), costs_(folded(experiment, Links::Own)) {
    if (const auto limit = states_memory(experiment) ? memory_limit(experiment) : std::nullopt)
      limit_ = limit->bytes;
    for (NamedStart& start : named_starts(costs_.experiment())) plan_start(std::move(start));
    std::ranges::stable_sort(named_, is_better, &Planned::figures);
    add_named();
    if (searches_.empty()) refuse();
    add_made();
  }

  Synthesis result() {
    searches_.run(request_.effort, request_.stop);
    Choice chosen = choose();
    const bool optimal = prove(chosen);
    Experiment judged = with_judged();
    judged.schedules.push_back(chosen.spec);
    judged.schedules.back().name = new_name(experiment_, "synthesized");
    Evaluation evaluation = evaluate(judged, kLongestPathAlone);
    std::optional<DrawPlans> draws = planned_draws();
    const Seconds bound = bound_of(judged.schedules.back(), evaluation);
    std::string entry = chosen.listed ? listed_entry(judged.schedules.back()) : chosen.named->start.entry;
    return {.experiment = std::move(judged),
            .evaluation = std::move(evaluation),
            .starts = named_.size(),
            .nearest = chosen.named ? chosen.named->start.spec.name : chosen.search->nearest().name,
            .made = chosen.made,
            .is_named = chosen.named != nullptr,
            .optimal = optimal,
            .different = chosen.search && chosen.made.empty()
                             ? difference(chosen.search->nearest(), chosen.spec)
                             : OrderDifference(),
            .planned = chosen.figures.step,
            .named = named_.front().figures.step,
            .bound = bound,
            .tries = searches_.tries(),
            .seed = request_.seed,
            .progress = searches_.progress(),
            .draws = std::move(draws),
            .entry = std::move(entry),
            .left_out = left_out_};
  }

 private:
  // The result: a named schedule, or an order that was found.
  struct Choice {
    ScheduleSpec spec;
    PlannedFigures figures;
    bool listed;
    const Planned* named;     // null: found
    PlacementSearch* search;  // of its placement; null: its order cannot be searched
    std::string made = {};    // what is new in its stages
  };

  // Plans a schedule as a run does. Notes why one of the experiment's own is not searched.
  void plan_start(NamedStart start) {
    const bool own = start.entry.empty();
    auto reason_not = lacking(request_.skeletons, start.spec);
    if (!reason_not) reason_not = unequal(costs_.experiment(), start.spec);
    if (reason_not) {
      if (own) left_out_.push_back({start.spec.name, *std::move(reason_not)});
      return;
    }
    const PlannedSchedule planned = plan(costs_, orders_, start.spec);
    auto listed = as_listed(costs_.experiment(), start.spec, planned.derived());
    if (const auto* reason = std::get_if<std::string>(&listed); reason && own)
      left_out_.push_back({start.spec.name, *reason});
    auto* spec = std::get_if<ScheduleSpec>(&listed);
    const PlannedFigures figures = planned_figures(costs_, planned, limit_);
    const auto is_known = [&](const Planned& one) {
      return one.listed && one.figures.step == figures.step && is_same(*one.listed, *spec);
    };
    if (spec && !own && std::ranges::any_of(named_, is_known)) return;
    named_.push_back({std::move(start), figures, spec ? std::optional(std::move(*spec)) : std::nullopt});
  }

  // One search for each placement of named schedules, in the order of their fastest starts.
  void add_named() {
    std::vector<std::vector<ScheduleSpec>> placements;
    for (const Planned& one : named_) {
      if (!one.listed) continue;
      const auto same = std::ranges::find_if(placements, [&](const std::vector<ScheduleSpec>& starts) {
        return is_same_placement(starts.front(), *one.listed);
      });
      if (same != placements.end())
        same->push_back(*one.listed);
      else if (placements.size() < kPlacements)
        placements.push_back({*one.listed});
    }
    for (auto& starts : placements) add_search(std::move(starts), "");
  }

  // Each search begins with a try.
  void add_search(std::vector<ScheduleSpec> starts, std::string made) {
    if (searches_.tries() >= request_.effort) return;
    searches_.add({std::make_unique<PlacementSearch>(costs_, std::move(starts), limit_, request_.seed),
                   std::move(made)});
  }

  // Placements that no named schedule has, behind the inputs of each. Backwards are split if those of a named
  // schedule are.
  void add_made() {
    const std::vector<Seconds> times = layer_times(costs_, PlanningDraws::expected(costs_.experiment()));
    std::vector<Cut> cuts;
    for (const Planned& one : named_) {
      if (!one.listed || std::ranges::find(cuts, one.listed->cut) != cuts.end()) continue;
      cuts.push_back(one.listed->cut);
      for (MadePlacement& made : made_placements(costs_.experiment(), *one.listed, times, splits_backwards()))
        if (!is_searched(made.spec)) add_search({std::move(made.spec)}, std::move(made.words));
    }
  }

  bool is_searched(const ScheduleSpec& spec) const {
    return std::ranges::any_of(searches_.kept(), [&](const SearchedPlacement& one) {
      return is_same_placement(one.search->nearest(), spec);
    });
  }

  bool splits_backwards() const {
    return std::ranges::any_of(named_, [](const Planned& one) {
      const auto& skeletons = one.start.spec.schedule.skeletons;
      return std::ranges::any_of(skeletons, [](const Skeleton& skeleton) {
        return !is_listed(skeleton) && splits_backward(skeleton);
      });
    });
  }

  // Among equals the named schedule is taken.
  Choice choose() const {
    const Planned& first = named_.front();
    Choice best{first.listed.value_or(first.start.spec), first.figures, first.listed.has_value(), &first,
                first.listed ? search_of(*first.listed) : nullptr};
    for (const auto& [search, made] : searches_.kept()) {
      if (!search->orders().found()) continue;
      ScheduleSpec spec = search->found();
      const PlannedFigures figures = figures_of(spec);
      if (is_worthwhile(figures, best.figures))
        best = {std::move(spec), figures, true, nullptr, search.get(), made};
    }
    if (!best.figures.fits) throw Infeasible("no order that was tried fits; " + least_memory());
    return best;
  }

  PlannedFigures figures_of(const ScheduleSpec& spec) const {
    return planned_figures(costs_, plan(costs_, orders_, spec), limit_);
  }

  // The bound of the result on the judged draws, of which the experiment's draws without differences have
  // one.
  Seconds bound_of(const ScheduleSpec& spec, const Evaluation& evaluation) const {
    const ScheduleResult& found = evaluation.schedules.back();
    const bool keeps = limit_ && fits(evaluation, found) == true;
    const PlannedSchedule planned = plan(costs_, orders_, spec);
    std::vector<std::uint32_t> draws(found.draws.size());
    std::iota(draws.begin(), draws.end(), 0U);
    const Seconds bound = static_bound(planned.derived(), cost_models(costs_, planned.derived(), draws),
                                       keeps ? limit_ : std::nullopt);
    return std::max(*mean_bound(found), bound);
  }

  PlacementSearch* search_of(const ScheduleSpec& listed) const {
    for (const SearchedPlacement& one : searches_.kept())
      if (is_same_placement(one.search->nearest(), listed)) return one.search.get();
    return nullptr;
  }

  bool is_worthwhile(const PlannedFigures& one, const PlannedFigures& other) const {
    return is_better_by(draws_differ(costs_.experiment()) ? kWorthwhileIfDrawn : kWorthwhile, one, other);
  }

  // Proves the order that was chosen, and takes a faster one that the proof meets.
  bool prove(Choice& chosen) const {
    if (!chosen.search || !chosen.search->orders().found()) return false;
    const bool optimal = chosen.search->prove(kExactNodes);
    ScheduleSpec best = chosen.search->found();
    const PlannedFigures figures = figures_of(best);
    if (is_worthwhile(figures, chosen.figures))
      chosen = {std::move(best), figures, true, nullptr, chosen.search, chosen.made};
    return optimal && chosen.figures.step <= figures.step * (1 + kWorthwhile);
  }

  bool plans_draws() const { return request_.per_draw > 0 && draws_differ(costs_.experiment()); }

  std::optional<DrawPlans> planned_draws() const {
    if (!plans_draws()) return std::nullopt;
    return plan_draws({costs_, limit_, request_.seed, request_.per_draw, request_.stop}, searches_.kept(),
                      experiment_.draws);
  }

  // Systems that know each draw, those whose static forms are fastest first.
  std::vector<NamedStart> judged_knowing() const {
    const auto place = [&](const NamedStart& start) {
      const auto is_static = [&](const Planned& one) {
        return start.spec.name.starts_with(one.start.spec.name) && one.start.spec.system == start.spec.system;
      };
      return std::ranges::find_if(named_, is_static) - named_.begin();
    };
    std::vector<NamedStart> all = knowing_starts(experiment_);
    std::ranges::stable_sort(all, {}, place);
    all.resize(std::min(all.size(), kJudged));
    return all;
  }

  // The experiment with the fastest named starts that it does not have.
  Experiment with_judged() const {
    Experiment judged = experiment_;
    std::size_t added = 0;
    for (const Planned& one : named_) {
      if (one.start.entry.empty()) continue;
      if (added++ == kJudged) break;
      judged.schedules.push_back(one.start.spec);
      judged.schedules.back().name = new_name(experiment_, one.start.spec.name);
    }
    if (!plans_draws()) return judged;
    for (NamedStart& start : judged_knowing()) judged.schedules.push_back(std::move(start.spec));
    return judged;
  }

  std::string least_memory() const {
    std::optional<Bytes> least;
    const auto note = [&](std::optional<Bytes> one) {
      if (one && (!least || *one < *least)) least = one;
    };
    note(searches_.least_memory());
    for (const Planned& one : named_) note(one.figures.peak);
    return "the least that an order holds is " + (least ? bytes_text(*least) : "not known");
  }

  [[noreturn]] void refuse() const {
    std::vector<Violation> violations;
    for (const LeftOut& one : left_out_)
      violations.push_back({"", "/schedules", "a schedule whose pipeline can be listed",
                            one.schedule + ", but " + one.reason});
    throw InputError(violations);
  }

  const Experiment& experiment_;
  const SynthesisRequest& request_;
  DrawCosts costs_;
  mutable OrderCache orders_;
  std::optional<Bytes> limit_;
  std::vector<Planned> named_;
  SearchPortfolio searches_;
  std::vector<LeftOut> left_out_;
};

// Parameters are fitted before an order is searched for.
Experiment fitted(Experiment experiment) {
  if (experiment.fits.empty()) return experiment;
  DrawCosts costs(experiment);
  OrderCache orders;
  const std::vector<FittedParameter> parameters = fit_parameters(costs, orders);
  experiment = with_fitted(std::move(experiment), parameters);
  experiment.fits.clear();
  return experiment;
}

// Contract: its memory was computed.
Bytes peak_of(const ScheduleResult& schedule) {
  return worst_peak(schedule)->peak.parts.total();
}

}  // namespace

const ScheduleResult& Synthesis::best_named() const {
  return best(false);
}

const ScheduleResult& Synthesis::best_knowing() const {
  return best(true);
}

const ScheduleResult& Synthesis::best(bool may_know) const {
  const ScheduleResult* best = nullptr;
  const auto is_worse = [&](const ScheduleResult& one, const ScheduleResult& other) {
    const bool fits_one = fits(evaluation, one) != false, fits_other = fits(evaluation, other) != false;
    if (fits_one != fits_other) return !fits_one;
    // One that needs more memory than there is may be fast: it is compared by how little it holds.
    if (!fits_one && peak_of(one) != peak_of(other)) return peak_of(one) > peak_of(other);
    return mean_makespan(one) > mean_makespan(other);
  };
  for (std::size_t i = 0; i + 1 < evaluation.schedules.size(); ++i) {
    const ScheduleResult& one = evaluation.schedules[i];
    const ScheduleSpec& spec = experiment.schedules[i];
    if (may_know ? moves_samples(experiment, spec) : unequal(experiment, spec).has_value()) continue;
    if (!one.unranked.empty()) continue;
    if (!best || is_worse(*best, one)) best = &one;
  }
  return *best;
}

Synthesis synthesize(const Experiment& experiment, const SynthesisRequest& request) {
  Experiment searched = fitted(experiment);
  if (request.memory) searched.memory_limit = request.memory;
  return Synthesizer(searched, request).result();
}

}  // namespace spillway
