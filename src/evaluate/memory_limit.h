// Compares the memory that a schedule needs with the memory that there is. A schedule above the limit is
// marked and keeps its figures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "evaluate/evaluation.h"
#include "optimize/plan.h"

namespace spillway {

// Returns true if memory can be computed. Given costs may leave bytes out; an architecture always has them.
bool states_memory(const Experiment& experiment);

// Returns the experiment's limit, else the memory of its platform's accelerator. Empty if there is neither.
std::optional<MemoryLimit> memory_limit(const Experiment& experiment);

// The most memory that a rank of any replica holds in any draw.
struct WorstPeak {
  std::uint32_t draw;
  PeakMemory peak;
};

// Returns the first such peak, by draw, replica and rank; with `of`, on that rank alone. Empty if memory was
// not computed. It decides whether a schedule fits, and text, pages and comparisons call it the peak memory.
std::optional<WorstPeak> worst_peak(const std::vector<DrawResult>& draws,
                                    std::optional<RankId> of = std::nullopt);
std::optional<WorstPeak> worst_peak(const ScheduleResult& schedule, std::optional<RankId> of = std::nullopt);

// Returns, for example, "71.31 GB on rank 0 at 3.21 s: parameters 20.1 GB, ...", with replica and draw if
// there are several.
std::string worst_peak_text(const ScheduleResult& schedule);

// Empty if the peak or the limit is not known.
std::optional<bool> fits(std::optional<Bytes> peak, std::optional<Bytes> limit);
std::optional<bool> fits(const std::optional<WorstPeak>& peak, const std::optional<MemoryLimit>& limit);
std::optional<bool> fits(const Evaluation& evaluation, const ScheduleResult& schedule);

// Returns the plan of the experiment's first schedule. It prices only what planning the order needs. Empty if
// the schedule is streamed. Contract: no plan is made from a draw, and nothing is fitted. Throws as
// evaluate_point() does.
std::optional<PlannedSchedule> planned_for_all_draws(const DrawCosts& costs, OrderCache& orders);

// Returns the most memory that a device holds in this plan, in the first draw in which that is above the
// limit. Empty if no draw is above it, or if only a timeline can tell. Contract: microbatches run as sampled.
std::optional<Bytes> misfit(const DrawCosts& costs, const PlannedSchedule& planned, Bytes limit);

// Throws Infeasible, with a line for each schedule, if the experiment itself states a limit and no schedule
// fits. The platform's memory never refuses, since the experiment asked for these figures.
void require_a_fit(const Evaluation& evaluation);

}  // namespace spillway
