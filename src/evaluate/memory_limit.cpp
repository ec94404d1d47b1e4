#include "evaluate/memory_limit.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "base/error.h"
#include "draws/costs.h"
#include "evaluate/host_memory.h"
#include "evaluate/streamed_draws.h"
#include "memory/memory_text.h"
#include "memory/peak_memory.h"

namespace spillway {
namespace {

std::string where_text(const ScheduleResult& schedule, const WorstPeak& worst) {
  std::ostringstream text;
  text << "rank " << worst.peak.rank.index();
  if (schedule.derived->pipeline.replicas > 1) text << " of replica " << worst.peak.replica.index();
  if (schedule.draws.size() > 1) text << " in draw " << worst.draw + 1;
  text << std::setprecision(4) << " at " << worst.peak.when.value() << " s";
  return text.str();
}

}  // namespace

bool states_memory(const Experiment& experiment) {
  const auto* given = std::get_if<GivenCosts>(&experiment.costs);
  return !given || states_memory(*given, experiment.model);
}

std::optional<MemoryLimit> memory_limit(const Experiment& experiment) {
  if (experiment.memory_limit) return MemoryLimit{*experiment.memory_limit, true};
  const AnalyticCosts* priced = on_platform(experiment.costs);
  if (!priced) return std::nullopt;
  return MemoryLimit{priced->platform.accelerator.memory.value, false};
}

std::optional<WorstPeak> worst_peak(const std::vector<DrawResult>& draws, std::optional<RankId> of) {
  std::optional<WorstPeak> worst;
  for (std::uint32_t draw = 0; draw < draws.size(); ++draw)
    for (const PeakMemory& peak : draws[draw].memory)
      if ((!of || peak.rank == *of) && (!worst || peak.parts.total() > worst->peak.parts.total()))
        worst = {draw, peak};
  return worst;
}

std::optional<WorstPeak> worst_peak(const ScheduleResult& schedule, std::optional<RankId> of) {
  return worst_peak(schedule.draws, of);
}

std::string worst_peak_text(const ScheduleResult& schedule) {
  const std::optional<WorstPeak> worst = worst_peak(schedule);
  ensure(worst.has_value(), "memory was computed");
  const MemoryParts& parts = worst->peak.parts;
  return bytes_text(parts.total()) + " on " + where_text(schedule, *worst) + ": " + parts_text(parts);
}

std::optional<bool> fits(std::optional<Bytes> peak, std::optional<Bytes> limit) {
  if (!peak || !limit) return std::nullopt;
  return *peak <= *limit;
}

std::optional<bool> fits(const std::optional<WorstPeak>& peak, const std::optional<MemoryLimit>& limit) {
  if (!peak || !limit) return std::nullopt;
  return fits(peak->peak.parts.total(), limit->bytes);
}

std::optional<bool> fits(const Evaluation& evaluation, const ScheduleResult& schedule) {
  return fits(worst_peak(schedule), evaluation.memory_limit);
}

std::optional<PlannedSchedule> planned_for_all_draws(const DrawCosts& costs, OrderCache& orders) {
  const Experiment& experiment = costs.experiment();
  const ScheduleSpec& schedule = experiment.schedules.front();
  if (is_streamed(experiment, schedule)) return std::nullopt;
  require_order_memory(experiment.pipeline);
  return plan(costs, orders, schedule);
}

std::optional<Bytes> misfit(const DrawCosts& costs, const PlannedSchedule& planned, Bytes limit) {
  if (!states_memory(costs.experiment())) return std::nullopt;
  const std::uint32_t different = different_draws(costs.experiment());
  for (std::uint32_t draw = 0; draw < different; ++draw) {
    const auto footprints = costs.footprints(planned.derived(), draw);
    if (anything_waits(planned.derived(), *footprints)) return std::nullopt;
    const Bytes most = most_memory(planned.derived(), *footprints);
    if (most > limit) return most;
  }
  return std::nullopt;
}

void require_a_fit(const Evaluation& evaluation) {
  if (!evaluation.memory_limit || !evaluation.memory_limit->stated) return;
  std::string broken;
  for (const ScheduleResult& schedule : evaluation.schedules) {
    if (fits(evaluation, schedule) != false) return;
    broken += "\n  " + schedule.name + ": " + worst_peak_text(schedule);
  }
  throw Infeasible("no schedule fits into the memory limit of " + bytes_text(evaluation.memory_limit->bytes) +
                   ":" + broken);
}

}  // namespace spillway
