#include "experiment/parameter.h"

#include <functional>
#include <utility>

#include "base/error.h"

namespace spillway {
namespace {

// A number inside an experiment, in the unit of its JSON key.
struct Parameter {
  std::string pointer;
  std::function<void(Experiment&, double)> set;
};

// `where` returns the Seconds in an experiment.
template <class Where>
Parameter duration(std::string pointer, Where where) {
  return {std::move(pointer), [=](Experiment& e, double ms) { where(e) = milliseconds(ms); }};
}

template <class Where>
Parameter number(std::string pointer, Where where) {
  return {std::move(pointer), [=](Experiment& e, double value) { where(e) = value; }};
}

std::vector<Parameter> given_parameters(const GivenCosts& costs) {
  std::vector<Parameter> all = {duration(
      "/network/p2p_ms", [](Experiment & e) -> auto& { return std::get<GivenCosts>(e.costs).p2p; })};
  for (std::size_t i = 0; i < costs.blocks.size(); ++i) {
    const std::string profile = "/model/blocks/" + std::to_string(i) + "/profile/";
    const auto of = [i](Experiment & e) -> auto& {
      return std::get<GivenCosts>(e.costs).blocks[i];
    };
    all.push_back(duration(
        profile + "forward_ms", [of](Experiment & e) -> auto& { return of(e).forward; }));
    all.push_back(duration(
        profile + "input_gradient_ms", [of](Experiment & e) -> auto& { return of(e).input_gradient; }));
    all.push_back(duration(
        profile + "weight_gradient_ms", [of](Experiment & e) -> auto& { return of(e).weight_gradient; }));
  }
  return all;
}

Efficiency& fitted(Efficiency& efficiency) {
  efficiency.evidence = Evidence::Fitted;
  return efficiency;
}

std::vector<Parameter> analytic_parameters(const AnalyticExperiment& analytic) {
  std::vector<Parameter> all;
  for (std::size_t i = 0; i < analytic.costs.blocks.size(); ++i) {
    const std::string block = "/model/blocks/" + std::to_string(i);
    const auto of = [i](Experiment & e) -> auto& {
      return on_platform(e.costs)->blocks[i];
    };
    all.push_back(number(
        block + "/efficiency/compute", [of](Experiment & e) -> auto& {
          return fitted(of(e).efficiency).compute.emplace();
        }));
    all.push_back(number(
        block + "/efficiency/memory", [of](Experiment & e) -> auto& {
          return fitted(of(e).efficiency).memory.emplace();
        }));
    all.push_back(duration(
        block + "/fixed_ms", [of](Experiment & e) -> auto& { return of(e).fixed_per_microbatch; }));
  }
  return all;
}

std::vector<Parameter> parameters(const Experiment& experiment) {
  if (const auto* given = std::get_if<GivenCosts>(&experiment.costs)) return given_parameters(*given);
  return analytic_parameters(std::get<AnalyticExperiment>(experiment.costs));
}

Parameter parameter_at(const Experiment& experiment, const std::string& pointer) {
  for (Parameter& parameter : parameters(experiment))
    if (parameter.pointer == pointer) return std::move(parameter);
  throw ContractBreach("the pointer names a parameter");
}

}  // namespace

bool is_parameter(const Experiment& experiment, const std::string& pointer) {
  for (const Parameter& parameter : parameters(experiment))
    if (parameter.pointer == pointer) return true;
  return false;
}

std::string some_parameter(const Experiment& experiment) {
  return parameters(experiment).front().pointer;
}

Experiment with_parameter(Experiment experiment, const std::string& pointer, double value) {
  parameter_at(experiment, pointer).set(experiment, value);
  return experiment;
}

}  // namespace spillway
