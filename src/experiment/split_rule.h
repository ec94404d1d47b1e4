// The rule that splits a schedule's layers over its stages, as far as it matters when two schedules are
// compared. A schedule that balances the time of layers gains by that alone over one that counts them.
#pragma once

#include <cstdint>
#include <string_view>

#include "experiment/experiment.h"

namespace spillway {

enum class SplitRule : std::uint8_t {
  ByCount,  // as even as the number of layers can be
  Stated,   // the experiment lists the layers of each stage
  // The others balance the time of the layers on each stage.
  Jointly,   // balances all interleaved regions together; also used if no regions interleave
  ByRegion,  // balances each interleaved region by itself
  ByModule,  // also chooses the number of stages of each module
};

SplitRule split_rule(const ScheduleSpec& schedule);
bool is_by_cost(SplitRule rule);

// Returns, for example, "by-count", for programs.
std::string_view split_word(SplitRule rule);
// Returns, for example, "by count", for a sentence.
std::string_view to_string(SplitRule rule);

// Says how a system's layers are split, for its assumptions. No full stop.
std::string_view split_sentence(SplitRule rule);

// Returns the schedule with its layers balanced by time. It uses `like`, the rule of the schedule it is
// compared with, if that is Jointly or ByRegion; else Jointly. A schedule with a listed region or with
// modules on dedicated devices is always split by region.
ScheduleSpec split_by_cost(ScheduleSpec schedule, SplitRule like);

}  // namespace spillway
