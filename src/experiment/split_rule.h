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
  ByCost,   // by what layers take; also where nothing is pipelined
};

SplitRule split_rule(const ScheduleSpec& schedule);

// "by-count", for programs.
std::string_view split_word(SplitRule rule);
// "by count", for a sentence.
std::string_view to_string(SplitRule rule);

// Says how a system's layers are split, for its assumptions. No full stop.
std::string_view split_sentence(SplitRule rule);

// The same schedule with its layers split by what they take: those of woven regions together, of a listed
// region or of modules on devices of their own each by itself.
ScheduleSpec split_by_cost(ScheduleSpec schedule);

}  // namespace spillway
