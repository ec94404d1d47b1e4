#include "sweep/memory_limit.h"

#include <iomanip>
#include <sstream>

#include "base/error.h"
#include "memory/memory_text.h"

namespace spillway {
namespace {

std::string where_text(const MemoryNeed& need) {
  std::ostringstream text;
  text << "rank " << need.worst->peak.rank.index();
  if (need.replicas > 1) text << " of replica " << need.worst->peak.replica.index();
  if (need.draws > 1) text << " in draw " << need.worst->draw + 1;
  text << std::setprecision(4) << " at " << need.worst->peak.when.value() << " s";
  return text.str();
}

std::string worst_peak_text(const MemoryNeed& need) {
  ensure(need.worst.has_value(), "memory was computed");
  const MemoryParts& parts = need.worst->peak.parts;
  return bytes_text(parts.total()) + " on " + where_text(need) + ": " + parts_text(parts);
}

MemoryNeed need_of(const ScheduleResult& schedule) {
  const auto draws = static_cast<std::uint32_t>(schedule.draws.size());
  MemoryNeed need{schedule.name, schedule.derived->pipeline.replicas, draws};
  for (std::uint32_t draw = 0; draw < draws; ++draw) need.add(draw, schedule.draws[draw].memory);
  return need;
}

}  // namespace

bool states_memory(const Experiment& experiment) {
  const auto* given = std::get_if<GivenCosts>(&experiment.costs);
  return !given || states_memory(*given, experiment.model);
}

void MemoryNeed::add(std::uint32_t draw, const std::vector<PeakMemory>& peaks) {
  for (const PeakMemory& peak : peaks)
    if (!worst || peak.parts.total() > worst->peak.parts.total()) worst = {draw, peak};
}

std::optional<WorstPeak> worst_peak(const ScheduleResult& schedule) {
  return need_of(schedule).worst;
}

std::string worst_peak_text(const ScheduleResult& schedule) {
  return worst_peak_text(need_of(schedule));
}

void hold_to_limit(const std::vector<MemoryNeed>& needs, std::optional<Bytes> limit) {
  if (!limit) return;
  std::string broken;
  for (const MemoryNeed& need : needs)
    if (need.worst && need.worst->peak.parts.total() > *limit)
      broken += "\n  " + need.schedule + ": " + worst_peak_text(need);
  if (!broken.empty()) throw Infeasible("memory limit of " + bytes_text(*limit) + " exceeded by" + broken);
}

void hold_to_limit(const Evaluation& evaluation, std::optional<Bytes> limit) {
  std::vector<MemoryNeed> needs;
  for (const ScheduleResult& schedule : evaluation.schedules) needs.push_back(need_of(schedule));
  hold_to_limit(needs, limit);
}

}  // namespace spillway
