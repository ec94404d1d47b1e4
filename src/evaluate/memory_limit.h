// The memory that a schedule needs, held against what there is. A limit refuses a schedule: it is marked, and
// keeps its figures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "evaluate/evaluation.h"

namespace spillway {

class DrawCosts;   // draws/costs.h
class OrderCache;  // optimize/prepared_order.h

// Given bytes may be left out; an architecture always has them.
bool states_memory(const Experiment& experiment);

// The experiment's, else what an accelerator of its platform has; nothing where neither says.
std::optional<MemoryLimit> memory_limit(const Experiment& experiment);

// The most that any rank of any replica holds in any draw.
struct WorstPeak {
  std::uint32_t draw;
  PeakMemory peak;
};

// The first such, by draw, replica and rank; with `of`, on that rank alone. Nothing where memory was not
// computed. It is what the schedule is judged by and what text, pages and comparisons call its peak memory.
std::optional<WorstPeak> worst_peak(const std::vector<DrawResult>& draws,
                                    std::optional<RankId> of = std::nullopt);
std::optional<WorstPeak> worst_peak(const ScheduleResult& schedule, std::optional<RankId> of = std::nullopt);

// "71.31 GB on rank 0 at 3.21 s: parameters 20.1 GB, ..."; with replica and draw where there are several.
std::string worst_peak_text(const ScheduleResult& schedule);

// Nothing where the peak or the limit is not known.
std::optional<bool> fits(std::optional<Bytes> peak, std::optional<Bytes> limit);
std::optional<bool> fits(const std::optional<WorstPeak>& peak, const std::optional<MemoryLimit>& limit);
std::optional<bool> fits(const Evaluation& evaluation, const ScheduleResult& schedule);

// What a device holds at most of the experiment's first schedule in the first draw in which that is more than
// a device may. Nothing where no draw holds more, and where only a timeline says what is held. Of prices only
// those that the order is planned by are asked for. Contract: no owner map is made from the draw,
// microbatches run as sampled, nothing is fitted. Throws as evaluate_point() does.
std::optional<Bytes> misfit(const DrawCosts& costs, OrderCache& orders);

// Throws Infeasible, with a line for each schedule, where the experiment itself states a limit and no
// schedule fits. What the platform has is judged by and refuses nothing: the experiment asked for these
// figures.
void require_a_fit(const Evaluation& evaluation);

}  // namespace spillway
