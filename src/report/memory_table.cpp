#include "report/memory_table.h"

#include <vector>

#include "memory/memory_text.h"
#include "report/duration_text.h"
#include "report/picture.h"
#include "report/table.h"
#include "report/wording.h"
#include "sweep/memory_limit.h"

namespace spillway {
namespace {

std::vector<std::string> row_of(const PeakMemory& peak) {
  const MemoryParts& parts = peak.parts;
  std::vector<std::string> cells = {std::to_string(peak.rank.index()), bytes_text(parts.total()),
                                    duration_text(peak.when)};
  for (Bytes bytes : {parts.state.parameters, parts.state.gradients, parts.state.optimizer, parts.activations,
                      parts.transposed, parts.working})
    cells.push_back(bytes_text(bytes));
  return cells;
}

}  // namespace

std::string memory_line(const ScheduleResult& schedule, std::optional<Bytes> device_memory,
                        std::size_t columns) {
  const std::optional<WorstPeak> worst = worst_peak(schedule);
  if (!worst) return {};
  std::string line = "peak memory " + worst_peak_text(schedule);
  if (device_memory && worst->peak.parts.total() > *device_memory)
    line += "; above the accelerator's " + bytes_text(*device_memory);
  return wrapped("  ", line, columns);
}

std::string memory_table(const ScheduleResult& schedule) {
  const std::vector<PeakMemory>& peaks = schedule.draws.front().memory;
  if (peaks.empty()) return {};
  std::vector<std::vector<std::string>> rows = {{"rank", "memory", "at", "parameters", "gradients",
                                                 "optimizer", "activations", "transposed", "working"}};
  for (RankId rank : shown_ranks(schedule.derived->order.rank_count()))
    rows.push_back(row_of(peaks[rank.index()]));
  return table_text(rows);
}

}  // namespace spillway
