#include "report/step/memory_table.h"

#include <algorithm>
#include <vector>

#include "evaluate/memory_limit.h"
#include "memory/memory_text.h"
#include "memory/peak_memory.h"
#include "report/step/picture.h"
#include "warn/warnings.h"
#include "words/duration_text.h"
#include "words/table.h"
#include "words/wording.h"

namespace spillway {
namespace {

std::vector<std::string> row_of(const PeakMemory& peak) {
  const MemoryParts& parts = peak.parts;
  std::vector<std::string> cells = {std::to_string(peak.rank.index()), bytes_text(parts.total()),
                                    duration_text(peak.when)};
  for (Bytes bytes : {parts.state.parameters, parts.state.gradients, parts.state.optimizer, parts.activations,
                      parts.transposed + parts.waiting, parts.working, parts.workspace})
    cells.push_back(bytes_text(bytes));
  return cells;
}

char tenths(Bytes bytes, Bytes scale) {
  if (scale == Bytes()) return '0';
  return static_cast<char>('0' + std::min(9, static_cast<int>(10 * (bytes / scale))));
}

}  // namespace

std::string memory_line(const Evaluation& evaluation, const ScheduleResult& schedule, std::size_t columns) {
  if (!worst_peak(schedule)) return {};
  std::string line = "peak memory " + worst_peak_text(schedule);
  if (fits(evaluation, schedule) == false) line += "; above " + limit_text(*evaluation.memory_limit);
  return wrapped("  ", line, columns);
}

std::string memory_mark(const Evaluation& evaluation, const ScheduleResult& schedule) {
  const std::optional<WorstPeak> worst = worst_peak(schedule);
  if (!worst) return "?";
  return bytes_text(worst->peak.parts.total()) + (fits(evaluation, schedule) == false ? " !" : "");
}

std::string memory_table(const ScheduleResult& schedule) {
  if (schedule.draws.front().memory.empty()) return {};
  std::vector<std::vector<std::string>> rows = {{"rank", "memory", "at", "parameters", "gradients",
                                                 "optimizer", "activations", "transposed", "working",
                                                 "workspace"}};
  for (RankId rank : shown_ranks(schedule.derived->order.rank_count()))
    rows.push_back(row_of(worst_peak(schedule, rank)->peak));
  return table_text(rows);
}

std::string memory_picture(const ScheduleResult& schedule, std::size_t columns) {
  if (schedule.first.memory.empty()) return {};
  constexpr std::size_t margin = 11;  // the width of "  rank 000 "
  const std::size_t slices = columns > margin ? columns - margin : 1;
  Bytes scale;
  for (const auto& levels : schedule.first.memory) scale = std::max(scale, most_of(levels));
  std::string text = "  memory over time, first draw, replica 0, in tenths of " + bytes_text(scale) +
                     " (9: nine tenths or more)\n";
  for (RankId rank : shown_ranks(schedule.derived->order.rank_count())) {
    const std::string label = "  rank " + std::to_string(rank.index());
    text += label + std::string(label.size() < margin ? margin - label.size() : 1, ' ');
    for (Bytes most :
         most_by_slice(schedule.first.memory[rank.index()], schedule.first.timeline.makespan(), slices))
      text += tenths(most, scale);
    text += '\n';
  }
  return text;
}

}  // namespace spillway
