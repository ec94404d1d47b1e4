// Test: tests/ask/way_test.cpp.
#include "ask/time_account.h"

#include "base/error.h"
#include "evaluate/evaluate.h"

namespace spillway {
namespace {

TimeAccount account_of(const DrawResult& draw) {
  const CriticalPathShares& path = draw.critical_path;
  const Seconds transposed = path.transposed_forward + path.transposed_backward;
  const Seconds passes = transposed + path.forward + path.backward + path.overlapped;
  const Seconds end = draw.step_end ? draw.step_end->total() : Seconds();
  return {.step = path.total(),
          .computing = passes - path.inside.recomputed - path.inside.collectives,
          .recomputed = path.inside.recomputed,
          .collectives = path.inside.collectives,
          .transfers = path.transfers,
          .reductions = path.reductions - end,
          .end = end,
          .planning = path.planning,
          .transposed = transposed,
          .idle = path.total() * draw.step.bubble_fraction};
}

TimeAccount mean_account(const std::vector<DrawResult>& draws) {
  const double share = 1.0 / static_cast<double>(draws.size());
  TimeAccount mean{};
  for (const DrawResult& draw : draws) {
    const TimeAccount one = account_of(draw);
    mean.step += one.step * share;
    for (const TimePart& part : kTimeParts) mean.*part.time += one.*part.time * share;
  }
  return mean;
}

}  // namespace

std::optional<TimeAccount> time_account(const Experiment& experiment, OrderCache& orders) try {
  const Evaluation evaluation = evaluate(experiment, {.run = {Engine::LongestPath}}, orders);
  const std::vector<DrawResult>& draws = evaluation.schedules.front().draws;
  if (draws.front().ranks.empty()) return std::nullopt;  // a streamed step
  return mean_account(draws);
} catch (const InputError&) {
  return std::nullopt;
} catch (const Infeasible&) {
  return std::nullopt;
}

}  // namespace spillway
