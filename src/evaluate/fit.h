// Fitting: sets one parameter so that one schedule takes a measured time. Reports mark it as fitted.
#pragma once

#include <vector>

#include "draws/costs.h"
#include "optimize/prepared_order.h"

namespace spillway {

// A parameter that was fitted before the run, so that a schedule's longest path takes a stated time.
struct FittedParameter {
  std::string pointer;  // JSON pointer into the experiment
  std::string schedule;
  Seconds target;
  double value;
  Seconds reached;
};

// Fits the experiment's parameters in the given order. Sets them in `costs`, with nothing left to fit. Throws
// Infeasible if no value of a parameter reaches its target.
std::vector<FittedParameter> fit_parameters(DrawCosts& costs, OrderCache& orders);

// Returns the experiment with the fitted parameters set, and nothing left to fit.
Experiment with_fitted(Experiment experiment, const std::vector<FittedParameter>& fitted);

}  // namespace spillway
