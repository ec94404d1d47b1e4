#include "synthesize/synthesize.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "draws/fold.h"
#include "draws/schedule_facts.h"
#include "evaluate/fit.h"
#include "evaluate/memory_limit.h"
#include "evaluate/steps.h"
#include "memory/memory_text.h"
#include "synthesize/found_entry.h"
#include "synthesize/named_starts.h"
#include "synthesize/placement_search.h"
#include "synthesize/planning_judge.h"

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

// A found order has to gain this share of the step, and else a named one is taken.
constexpr double kWorthwhile = 1e-4;

bool is_clearly_better(const PlannedFigures& one, const PlannedFigures& other) {
  return is_better(one, {other.step * (1 - kWorthwhile), other.peak, other.fits});
}

// The same schedule under another name.
bool is_same(ScheduleSpec one, const ScheduleSpec& other) {
  one.name = other.name;
  return one == other;
}

// Samples that move and plans that know the draw are not what one static order can be compared with.
std::optional<std::string> unequal(const Experiment& experiment, const ScheduleSpec& spec) {
  const Terms terms = terms_of(spec, experiment.pipeline, experiment.costs);
  if (terms.moves_samples || spec.regrouping.rule != Regrouping::Rule::AsDrawn) return "its samples move";
  if (spec.plans_by_sizes()) return "it knows the sizes of each draw";
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
    if (named_.empty()) refuse();
    add_searches();
  }

  Synthesis result() {
    run();
    const std::uint64_t tried = tries();
    Choice chosen = choose();
    const bool optimal = prove(chosen);
    Experiment judged = with_judged();
    judged.schedules.push_back(chosen.spec);
    judged.schedules.back().name = new_name(experiment_, "synthesized");
    Evaluation evaluation = evaluate(judged, kLongestPathAlone);
    std::string entry = chosen.listed ? listed_entry(judged.schedules.back()) : chosen.named->start.entry;
    return {
        .experiment = std::move(judged),
        .evaluation = std::move(evaluation),
        .starts = named_.size(),
        .nearest = chosen.named ? chosen.named->start.spec.name : chosen.search->nearest().name,
        .is_named = chosen.named != nullptr,
        .optimal = optimal,
        .different = chosen.search ? difference(chosen.search->nearest(), chosen.spec) : OrderDifference(),
        .planned = chosen.figures.step,
        .named = named_.front().figures.step,
        .tries = tried,
        .seed = request_.seed,
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
  };

  // Plans a schedule as a run does. Notes why one of the experiment's own is not searched.
  void plan_start(NamedStart start) {
    const bool own = start.entry.empty();
    if (auto reason = unequal(costs_.experiment(), start.spec)) {
      if (own) left_out_.push_back({start.spec.name, *std::move(reason)});
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

  // One search for each placement, in the order of their fastest starts.
  void add_searches() {
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
    if (placements.empty()) refuse();
    for (auto& starts : placements)
      searches_.push_back(
          std::make_unique<PlacementSearch>(costs_, std::move(starts), limit_, request_.seed));
  }

  static Seconds step_of(const std::unique_ptr<PlacementSearch>& one) { return one->orders().step(); }

  // Each search has tried its first order when it was made.
  std::uint64_t tries() const {
    std::uint64_t sum = 0;
    for (const auto& one : searches_) sum += one->orders().tries();
    return sum;
  }

  // By turns the best search and the next of all, when each has tried its starts.
  void run() {
    for (const auto& one : searches_)
      while (one->orders().tries() < one->orders().starts() && goes_on()) one->orders().try_next();
    for (std::uint64_t turn = 0; goes_on(); ++turn)
      (turn % 2 == 0 ? *std::ranges::min_element(searches_, {}, step_of)
                     : searches_[turn / 2 % searches_.size()])
          ->orders()
          .try_next();
  }

  bool goes_on() const { return tries() < request_.effort && !(request_.stop && request_.stop()); }

  // Among equals the named schedule is taken.
  Choice choose() const {
    const Planned& first = named_.front();
    Choice best{first.listed.value_or(first.start.spec), first.figures, first.listed.has_value(), &first,
                first.listed ? search_of(*first.listed) : nullptr};
    for (const auto& search : searches_) {
      if (!search->orders().found()) continue;
      ScheduleSpec spec = search->found();
      const PlannedFigures figures = figures_of(spec);
      if (is_clearly_better(figures, best.figures))
        best = {std::move(spec), figures, true, nullptr, search.get()};
    }
    if (!best.figures.fits) throw Infeasible("no order that was tried fits; " + least_memory());
    return best;
  }

  PlannedFigures figures_of(const ScheduleSpec& spec) const {
    return planned_figures(costs_, plan(costs_, orders_, spec), limit_);
  }

  PlacementSearch* search_of(const ScheduleSpec& listed) const {
    const auto own = std::ranges::find_if(
        searches_, [&](const auto& one) { return is_same_placement(one->nearest(), listed); });
    return own == searches_.end() ? nullptr : own->get();
  }

  // Proves the order that was chosen, and takes a faster one that the proof meets.
  bool prove(Choice& chosen) const {
    if (!chosen.search || !chosen.search->orders().found()) return false;
    const bool optimal = chosen.search->prove(kExactNodes);
    ScheduleSpec best = chosen.search->found();
    const PlannedFigures figures = figures_of(best);
    if (is_clearly_better(figures, chosen.figures))
      chosen = {std::move(best), figures, true, nullptr, chosen.search};
    return optimal && chosen.figures.step <= figures.step * (1 + kWorthwhile);
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
    return judged;
  }

  std::string least_memory() const {
    std::optional<Bytes> least;
    const auto note = [&](std::optional<Bytes> one) {
      if (one && (!least || *one < *least)) least = one;
    };
    for (const auto& one : searches_) note(one->least_memory());
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
  std::vector<std::unique_ptr<PlacementSearch>> searches_;
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

}  // namespace

const ScheduleResult& Synthesis::best_named() const {
  const ScheduleResult* best = nullptr;
  const auto is_worse = [&](const ScheduleResult& one, const ScheduleResult& other) {
    const bool fits_one = fits(evaluation, one) != false, fits_other = fits(evaluation, other) != false;
    return fits_one != fits_other ? !fits_one : mean_makespan(one) > mean_makespan(other);
  };
  for (std::size_t i = 0; i + 1 < evaluation.schedules.size(); ++i) {
    const ScheduleResult& one = evaluation.schedules[i];
    if (unequal(experiment, experiment.schedules[i]) || !one.unranked.empty()) continue;
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
