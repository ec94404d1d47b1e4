// The rule by which a schedule's layers are split over its stages, as far as it matters where two schedules
// are held against each other: a schedule split by what layers take gains by that alone over one that counts
// them.
#pragma once

#include <cstdint>
#include <string_view>

#include "experiment/experiment.h"

namespace spillway {

enum class SplitRule : std::uint8_t {
  ByCount,  // as even as the number of layers can be
  Stated,   // the experiment lists the layers of each stage
  // By what layers take:
  Jointly,   // woven regions together; also where there are none
  ByRegion,  // each of them by itself
  ByModule,  // stages for each module, too
};

SplitRule split_rule(const ScheduleSpec& schedule);
bool is_by_cost(SplitRule rule);

// "by-count", for programs.
std::string_view split_word(SplitRule rule);
// "by count", for a sentence.
std::string_view to_string(SplitRule rule);

// Says how a system's layers are split, for its assumptions. No full stop.
std::string_view split_sentence(SplitRule rule);

// The same schedule with its layers split by what they take: by the rule of what it is held against, if that
// is one of the two of woven regions; else these together. A listed region, or a module on devices of its
// own, is split by itself.
ScheduleSpec split_by_cost(ScheduleSpec schedule, SplitRule like);

}  // namespace spillway
