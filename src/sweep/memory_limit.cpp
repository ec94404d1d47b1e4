#include "sweep/memory_limit.h"

#include <iomanip>
#include <sstream>

#include "base/error.h"
#include "memory/memory_text.h"

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

std::optional<WorstPeak> worst_peak(const ScheduleResult& schedule) {
  std::optional<WorstPeak> worst;
  for (std::uint32_t draw = 0; draw < schedule.draws.size(); ++draw)
    for (const PeakMemory& peak : schedule.draws[draw].memory)
      if (!worst || peak.parts.total() > worst->peak.parts.total()) worst = {draw, peak};
  return worst;
}

std::string worst_peak_text(const ScheduleResult& schedule) {
  const std::optional<WorstPeak> worst = worst_peak(schedule);
  ensure(worst.has_value(), "memory was computed");
  return bytes_text(worst->peak.parts.total()) + " on " + where_text(schedule, *worst) + ": " +
         parts_text(worst->peak.parts);
}

void hold_to_limit(const Evaluation& evaluation, std::optional<Bytes> limit) {
  if (!limit) return;
  std::string broken;
  for (const ScheduleResult& schedule : evaluation.schedules) {
    const std::optional<WorstPeak> worst = worst_peak(schedule);
    if (worst && worst->peak.parts.total() > *limit)
      broken += "\n  " + schedule.name + ": " + worst_peak_text(schedule);
  }
  if (!broken.empty()) throw Infeasible("memory limit of " + bytes_text(*limit) + " exceeded by" + broken);
}

}  // namespace spillway
