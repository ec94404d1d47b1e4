// Fitting: one parameter set so that one schedule takes a measured time. What is fitted is reported as
// fitted.
#pragma once

#include <vector>

#include "draws/costs.h"
#include "optimize/prepared_order.h"

namespace spillway {

// A parameter fitted before the run, so that a schedule's longest path takes a stated time.
struct FittedParameter {
  std::string pointer;  // JSON pointer into the experiment
  std::string schedule;
  Seconds target;
  double value;
  Seconds reached;
};

// Fits the experiment's parameters in the order given and leaves them stated in `costs`, with nothing left to
// fit. Throws Infeasible where no value of the parameter reaches the target.
std::vector<FittedParameter> fit_parameters(DrawCosts& costs, OrderCache& orders);

// The experiment with what was fitted stated, and nothing left to fit.
Experiment with_fitted(Experiment experiment, const std::vector<FittedParameter>& fitted);

}  // namespace spillway
