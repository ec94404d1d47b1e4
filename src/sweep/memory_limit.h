// The memory a schedule needs, held against what there is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sweep/evaluate.h"

namespace spillway {

// Given bytes may be left out; an architecture always has them.
bool states_memory(const Experiment& experiment);

// The most that any rank of any replica holds in any draw.
struct WorstPeak {
  std::uint32_t draw;
  PeakMemory peak;
};

// What a schedule asks for.
struct MemoryNeed {
  std::string schedule;
  std::uint32_t replicas;
  std::uint32_t draws;
  std::optional<WorstPeak> worst = {};  // the first such, by draw, replica and rank; none: nothing was added

  void add(std::uint32_t draw, const std::vector<PeakMemory>& peaks);
};

// Of the draws of an evaluation; nothing where memory was not computed.
std::optional<WorstPeak> worst_peak(const ScheduleResult& schedule);

// "71.31 GB on rank 0 at 3.21 s: parameters 20.1 GB, ..."; with replica and draw where there are several.
std::string worst_peak_text(const ScheduleResult& schedule);

// Throws Infeasible with a line for each schedule whose worst peak is above the limit, if there is one.
void hold_to_limit(const std::vector<MemoryNeed>& needs, std::optional<Bytes> limit);
void hold_to_limit(const Evaluation& evaluation, std::optional<Bytes> limit);

}  // namespace spillway
