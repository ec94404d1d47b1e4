#include "report/step/rank_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "evaluate/memory_limit.h"
#include "memory/memory_text.h"
#include "report/step/picture.h"
#include "words/table.h"

namespace spillway {
namespace {

using RankSamples = std::vector<const RankFigures*>;  // one rank, every replica and draw
using Figure = std::function<std::optional<Seconds>(const RankFigures&)>;

struct RankColumn {
  const char* name;
  Figure figure;
};
Figure of(Seconds RankFigures::*figure) {
  return [figure](const RankFigures& rank) { return std::optional(rank.*figure); };
}

// Returns nothing if no transposed region feeds a pipelined one.
Figure of(Seconds RankSpill::*figure) {
  return [figure](const RankFigures& rank) {
    return rank.spill ? std::optional((*rank.spill).*figure) : std::nullopt;
  };
}

const std::array<RankColumn, 6> kMeans = {{{"busy", of(&RankFigures::busy)},
                                           {"comm", of(&RankFigures::communication)},
                                           {"bubble", of(&RankFigures::bubble)},
                                           {"slack w_r", of(&RankSpill::warm_up_slack)},
                                           {"encoder E_r", of(&RankSpill::encoder)},
                                           {"spill", of(&RankSpill::spill)}}};
const std::array<RankColumn, 2> kLargest = {
    {{"max E_r", of(&RankSpill::encoder)}, {"max spill", of(&RankSpill::spill)}}};

RankSamples samples_of(const ScheduleResult& schedule, RankId rank) {
  RankSamples samples;
  for (const DrawResult& draw : schedule.draws)
    for (const RankFigures& figures : draw.ranks)
      if (figures.rank == rank) samples.push_back(&figures);
  return samples;
}

std::optional<Seconds> mean(const RankSamples& samples, const Figure& figure) {
  Seconds sum;
  for (const RankFigures* sample : samples) {
    const std::optional<Seconds> one = figure(*sample);
    if (!one) return std::nullopt;
    sum += *one;
  }
  return sum / static_cast<double>(samples.size());
}

std::optional<Seconds> largest(const RankSamples& samples, const Figure& figure) {
  std::optional<Seconds> most;
  for (const RankFigures* sample : samples) most = std::max(most, figure(*sample));
  return most;
}

// Returns the largest memory over all replicas and draws, or no cell if memory was not computed.
std::vector<std::string> largest_memory(const ScheduleResult& schedule, RankId rank) {
  const std::optional<WorstPeak> worst = worst_peak(schedule, rank);
  return worst ? std::vector{bytes_text(worst->peak.parts.total())} : std::vector<std::string>{};
}

std::vector<std::string> rank_heading(bool several, bool memory) {
  std::vector<std::string> cells = {"rank"};
  for (const RankColumn& column : kMeans) cells.emplace_back(column.name);
  if (several)
    for (const RankColumn& column : kLargest) cells.emplace_back(column.name);
  cells.emplace_back("peak act.");
  if (memory) cells.emplace_back("peak mem.");
  return cells;
}

std::vector<std::string> rank_line(RankId rank, const RankSamples& samples, double peak, TimeUnit unit,
                                   Seconds scale) {
  std::vector<std::string> cells = {std::to_string(rank.index())};
  const auto time = [&](std::optional<Seconds> t) { return t ? number_text(*t, unit, scale) : "-"; };
  for (const RankColumn& column : kMeans) cells.push_back(time(mean(samples, column.figure)));
  if (samples.size() > 1)
    for (const RankColumn& column : kLargest) cells.push_back(time(largest(samples, column.figure)));
  cells.push_back(fmt::format("{:.4g}", peak));
  return cells;
}

}  // namespace

std::string rank_table(const ScheduleResult& schedule, TimeUnit unit) {
  const std::vector<double>& peaks = schedule.peak_activations;
  const DrawResult& first = schedule.draws.front();
  const bool several = schedule.draws.size() * first.ranks.size() > peaks.size();
  std::vector<std::vector<std::string>> rows = {rank_heading(several, !first.memory.empty())};
  for (RankId rank : shown_ranks(schedule.derived->order.rank_count())) {
    rows.push_back(
        rank_line(rank, samples_of(schedule, rank), peaks[rank.index()], unit, first.step.makespan));
    for (std::string& cell : largest_memory(schedule, rank)) rows.back().push_back(std::move(cell));
  }
  return table_text(rows);
}

}  // namespace spillway
