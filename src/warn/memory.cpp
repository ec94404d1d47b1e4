#include "warn/memory.h"

#include "evaluate/memory_limit.h"
#include "memory/memory_text.h"

namespace spillway {
std::string limit_text(const MemoryLimit& limit) {
  return (limit.stated ? "the limit of " : "the accelerator's ") + bytes_text(limit.bytes);
}

std::vector<Warning> memory_warnings(const Evaluation& evaluation, const ScheduleResult& schedule) {
  const std::optional<WorstPeak> worst = worst_peak(schedule);
  if (fits(worst, evaluation.memory_limit) != false) return {};
  return {
      {"does-not-fit", "it needs " + bytes_text(worst->peak.parts.total()) + ", more than " +
                           limit_text(*evaluation.memory_limit) +
                           ", by the memory model; its figures are those that it would have if it fitted"}};
}

}  // namespace spillway
