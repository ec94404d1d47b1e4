// A makespan is a continuous, monotone function of one efficiency or duration, so a bracketed root finder is
// enough: TOMS 748 of Boost.Math (Alefeld, Potra, Shi 1995), which is well maintained and made for this.
#include "evaluate/fit.h"

#include <algorithm>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <optional>

#include "experiment/parameter.h"
#include "optimize/microbatch_rules.h"
#include "optimize/plan.h"

namespace spillway {
namespace {

constexpr std::uintmax_t kEvaluations = 60;
// Owner maps and orders are planned at one value of the parameter, and fixed during the search. Plans at the
// value found may need another value. This is the maximal number of such rounds.
constexpr int kRoundsOfOne = 4;
// The maximal number of rounds over several parameters, each fitted with the others fixed.
constexpr int kRoundsOfAll = 60;
constexpr double kReached = 1e-9;  // relative

// The bounds of a parameter: an efficiency within (0, 1]; a duration, in milliseconds, up to the step it is
// fitted to.
struct Range {
  double least;
  double most;
};
Range range_of(const FitSpec& fit) {
  const bool efficiency = fit.pointer.find("/efficiency/") != std::string::npos;
  return {1e-4, efficiency ? 1 : 1e3 * fit.makespan.value()};
}

// The mean makespan of the schedule over the experiment's draws, as a function of the parameter. It is
// planned once, at the parameter's first value, since plans that change in between would make the function
// jump.
class Makespan {
 public:
  Makespan(DrawCosts& costs, OrderCache& orders, const FitSpec& fit)
      : costs_(costs),
        fit_(fit),
        prepared_(plan(costs, orders, costs.experiment().schedules[fit.schedule]).prepared) {
    const MicrobatchOrder order = costs.experiment().schedules[fit.schedule].order;
    const Derived& derived = prepared_->derived;
    for (std::uint32_t draw = 0; draw < costs.experiment().draws; ++draw)
      orders_.push_back(order_microbatches(order, derived, *costs.of(derived, draw)));
  }

  double at(double value) {
    costs_.set_experiment(with_parameter(costs_.experiment(), fit_.pointer, value));
    const std::uint32_t draws = costs_.experiment().draws;
    Seconds sum;
    for (std::uint32_t draw = 0; draw < draws; ++draw) {
      const auto as_sampled = costs_.of(prepared_->derived, draw);
      const Prices prices = price(prepared_->derived, ReorderedCosts(*as_sampled, orders_[draw]));
      sum += prepared_->longest_path.makespan(prices.durations, ends_);
    }
    return sum.value() / draws;
  }

 private:
  DrawCosts& costs_;
  const FitSpec& fit_;
  std::shared_ptr<const PreparedOrder> prepared_;
  std::vector<std::vector<Permutation>> orders_;  // by draw and replica
  PerEvent<Seconds> ends_;
};

// Returns the value at which this plan reaches the target.
double solve(const DrawCosts& costs, const FitSpec& fit, Makespan& makespan) {
  const double target = fit.makespan.value();
  const auto miss = [&](double logarithm) { return makespan.at(std::exp(logarithm)) - target; };
  const Range range = range_of(fit);
  const double low = std::log(range.least), high = std::log(range.most);
  const double miss_low = miss(low), miss_high = miss(high);
  const std::string& schedule = costs.experiment().schedules[fit.schedule].name;
  if (miss_low * miss_high > 0) {
    throw Infeasible("fit " + fit.pointer + ": no value between " + std::to_string(range.least) + " and " +
                     std::to_string(range.most) + " makes " + schedule + " take " + std::to_string(target) +
                     " s; it takes " + std::to_string(target + miss_low) + " s to " +
                     std::to_string(target + miss_high) + " s");
  }
  std::uintmax_t evaluations = kEvaluations;
  const auto bracket = boost::math::tools::toms748_solve(
      miss, low, high, miss_low, miss_high, boost::math::tools::eps_tolerance<double>(40), evaluations);
  return std::exp((bracket.first + bracket.second) / 2);
}

FittedParameter fit_one(DrawCosts& costs, OrderCache& orders, const FitSpec& fit) {
  FittedParameter fitted{fit.pointer, costs.experiment().schedules[fit.schedule].name, fit.makespan, {}, {}};
  std::optional<Makespan> makespan(std::in_place, costs, orders, fit);
  for (int round = 0; round < kRoundsOfOne; ++round) {
    fitted.value = solve(costs, fit, *makespan);
    costs.set_experiment(with_parameter(costs.experiment(), fit.pointer, fitted.value));
    makespan.emplace(costs, orders, fit);
    fitted.reached = Seconds(makespan->at(fitted.value));
    if (std::abs(fitted.reached / fitted.target - 1) <= kReached) break;
  }
  return fitted;
}

// Updates the step of each schedule with all values as found, since a later fit may move the result of an
// earlier one.
void reach_together(DrawCosts& costs, OrderCache& orders, const std::vector<FitSpec>& fits,
                    std::vector<FittedParameter>& fitted) {
  for (std::size_t i = 0; i < fits.size(); ++i)
    fitted[i].reached = Seconds(Makespan(costs, orders, fits[i]).at(fitted[i].value));
}

bool reached(const FittedParameter& fitted) {
  return std::abs(fitted.reached / fitted.target - 1) <= kReached;
}

}  // namespace

std::vector<FittedParameter> fit_parameters(DrawCosts& costs, OrderCache& orders) {
  const std::vector<FitSpec> fits = costs.experiment().fits;
  std::vector<FittedParameter> fitted;
  if (fits.empty()) return fitted;
  for (int round = 0; round < kRoundsOfAll; ++round) {
    fitted.clear();
    for (const FitSpec& fit : fits) fitted.push_back(fit_one(costs, orders, fit));
    if (fits.size() < 2) break;
    reach_together(costs, orders, fits, fitted);
    if (std::all_of(fitted.begin(), fitted.end(), reached)) break;
  }
  costs.set_experiment(with_fitted(costs.experiment(), fitted));
  return fitted;
}

Experiment with_fitted(Experiment experiment, const std::vector<FittedParameter>& fitted) {
  for (const FittedParameter& one : fitted)
    experiment = with_parameter(std::move(experiment), one.pointer, one.value);
  experiment.fits.clear();
  return experiment;
}

}  // namespace spillway
