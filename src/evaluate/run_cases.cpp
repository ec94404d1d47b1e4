#include "evaluate/run_cases.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <variant>

#include "base/error.h"
#include "evaluate/memory_limit.h"
#include "evaluate/steps.h"

namespace spillway {
namespace {

std::optional<Bytes> most_memory(const ScheduleResult& schedule) {
  std::optional<Bytes> most;
  for (const DrawResult& draw : schedule.draws)
    for (const PeakMemory& rank : draw.memory) most = std::max(most.value_or(Bytes()), rank.parts.total());
  return most;
}

template <class Value>
std::optional<double> relative(const std::optional<Value>& predicted, const std::optional<Value>& measured) {
  if (!predicted || !measured) return std::nullopt;
  return *predicted / *measured - 1;
}

// Divides each error before it adds it, which keeps the rounding of published figures.
std::optional<ErrorSummary> summary_of(const std::vector<double>& errors) {
  if (errors.empty()) return std::nullopt;
  const auto count = static_cast<double>(errors.size());
  ErrorSummary summary{errors.size(), 0, 0, 0};
  for (const double error : errors) {
    summary.mean_absolute += std::abs(error) / count;
    summary.most_absolute = std::max(summary.most_absolute, std::abs(error));
    summary.bias += error / count;
  }
  return summary;
}

constexpr double kNextToInfinitelyFast = 1e9;

Experiment without_communication(Experiment experiment) {
  experiment.what_if.link_speed = kNextToInfinitelyFast;
  if (experiment.collectives == InnerCollectives::Priced) experiment.what_if.inner_collective_time = 0;
  return experiment;
}

Experiment without_hosts(Experiment experiment) {
  AnalyticCosts& costs = *on_platform(experiment.costs);
  costs.platform.accelerator.host_overhead.value = Seconds();
  costs.platform.accelerator.host_speed =
      Sourced<double>{kNextToInfinitelyFast, Evidence::Assumed, "no hosts"};
  if (costs.framework.launch) costs.framework.launch->value = Seconds();
  costs.framework.message.value = Seconds();
  costs.framework.update.value = Seconds();
  costs.framework.between_steps.value = Seconds();
  return experiment;
}

std::optional<StepCauses> causes_of(const Experiment& experiment, Engines engines) {
  if (!on_platform(experiment.costs)) return std::nullopt;
  engines.intervals = false;
  const auto step_of = [&](const Experiment& changed) {
    OrderCache orders;
    return mean_makespan(evaluate(changed, engines, orders).schedules.front());
  };
  return StepCauses{step_of(without_communication(experiment)), step_of(without_hosts(experiment))};
}

CaseResult case_result_of(const MeasuredCase& measured, const Experiment& experiment, const Engines& engines,
                          OrderCache& orders) {
  try {
    const Evaluation evaluation = evaluate(experiment, engines, orders);
    require_a_fit(evaluation);
    const ScheduleResult& schedule = evaluation.schedules.front();
    const auto limit = evaluation.memory_limit ? std::optional(evaluation.memory_limit->bytes) : std::nullopt;
    return {measured, mean_makespan(schedule), most_memory(schedule), schedule.interval, {}, limit};
  } catch (const Infeasible& none) {
    throw Infeasible(measured.name + ": " + none.what());
  }
}

double share_of(Seconds StepCauses::*without, const CaseResult& one) {
  return 1 - (*one.causes).*without / one.step;
}

struct SharedError {
  double share, error;
};

SharedError mean_shared_error(std::span<const SharedError> some) {
  SharedError mean{0, 0};
  const auto count = static_cast<double>(some.size());
  for (const auto& [share, error] : some) mean = {mean.share + share / count, mean.error + error / count};
  return mean;
}

}  // namespace

std::optional<double> CaseResult::error() const {
  return relative(std::optional(step), measured.step);
}

std::optional<double> CaseResult::blind_error() const {
  return relative(measured.blind, measured.step);
}

std::optional<double> CaseResult::memory_error() const {
  return relative(memory, measured.memory);
}

std::optional<bool> CaseResult::holds() const {
  if (!interval || !measured.step) return std::nullopt;
  return interval->holds(*measured.step, step);
}

std::optional<double> CaseResult::memory_share() const {
  return memory && limit ? std::optional(*memory / *limit) : std::nullopt;
}

CaseResult run_case(const CaseFile& file, std::size_t index, const Engines& engines, OrderCache& orders,
                    const std::vector<Setting>& base) {
  return case_result_of(file.table().cases[index], file.experiment(index, base), engines, orders);
}

std::vector<CaseResult> run_cases(const CaseFile& file, const Engines& engines,
                                  std::optional<std::size_t> only, bool causes) {
  OrderCache orders;
  CaseJobs jobs;
  std::vector<CaseResult> results;
  for (std::size_t i = 0; i < file.table().cases.size(); ++i) {
    if (i != only.value_or(i)) continue;
    const Experiment experiment = file.experiment(i);
    results.push_back(case_result_of(file.table().cases[i], experiment, engines, orders));
    results.back().job = jobs.job_of(experiment);
    if (causes) results.back().causes = causes_of(experiment, engines);
  }
  return results;
}

std::optional<CauseErrors> errors_by(Seconds StepCauses::*without, const std::vector<CaseResult>& cases) {
  std::vector<SharedError> shared;
  for (const CaseResult& one : cases)
    if (one.causes && one.error() && !one.measured.fitted)
      shared.push_back({share_of(without, one), *one.error()});
  if (shared.size() < 2) return std::nullopt;
  std::ranges::stable_sort(shared, {}, &SharedError::share);
  const std::span<const SharedError> all(shared);
  const std::size_t half = shared.size() / 2;
  const SharedError least = mean_shared_error(all.first(half)), greatest = mean_shared_error(all.last(half));
  return CauseErrors{mean_shared_error(all).share, least.share, least.error, greatest.share, greatest.error};
}

std::optional<Coverage> coverage(const std::vector<CaseResult>& cases) {
  Coverage counted{0, 0};
  for (const CaseResult& one : cases) {
    const std::optional<bool> holds = one.holds();
    if (!holds || one.measured.fitted) continue;
    counted.held += *holds ? 1 : 0;
    counted.of += 1;
  }
  return counted.of > 0 ? std::optional(counted) : std::nullopt;
}

MemoryVerdicts memory_verdicts(const std::vector<CaseResult>& cases) {
  MemoryVerdicts counted{};
  for (const CaseResult& one : cases) {
    const std::optional<double> share = one.memory_share();
    if (!share) continue;
    if (one.measured.end == RunEnd::Ran) {
      counted.ran += 1;
      counted.too_large += *share > 1 ? 1 : 0;
      counted.far_too_large += *share > 1 + kFarTooLarge ? 1 : 0;
    } else if (one.measured.end == RunEnd::OutOfMemory) {
      counted.ran_out += 1;
      counted.too_small += *share <= 1 ? 1 : 0;
    }
  }
  return counted;
}

std::optional<ErrorSummary> time_errors(const std::vector<CaseResult>& cases, bool fitted) {
  std::vector<double> errors;
  for (const CaseResult& one : cases)
    if (const auto error = one.error(); error && one.measured.fitted == fitted) errors.push_back(*error);
  return summary_of(errors);
}

std::optional<ErrorSummary> blind_errors(const std::vector<CaseResult>& cases) {
  std::vector<double> errors;
  for (const CaseResult& one : cases)
    if (const auto error = one.blind_error()) errors.push_back(*error);
  return summary_of(errors);
}

std::optional<ErrorSummary> memory_errors(const std::vector<CaseResult>& cases, bool fitted) {
  std::vector<double> errors;
  for (const CaseResult& one : cases) {
    if (one.measured.fitted != fitted) continue;
    if (const auto error = one.memory_error()) errors.push_back(*error);
  }
  return summary_of(errors);
}

}  // namespace spillway
