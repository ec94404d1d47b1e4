// What a person decides in a layout: where it runs, how its devices are shared out, the family of its
// schedule, and what is recomputed. Layouts of one choice differ in names of the schedule, the sharding of
// states, the size of microbatches and the framework: the answer of each framework has its own table
// (answer/spread.h).
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "search/job.h"
#include "search/layout.h"

namespace spillway {

// From the simplest, which every framework has, to those that few have.
enum class PipelineFamily : std::uint8_t {
  None,  // one rank
  OneFOneB,
  GPipe,
  Interleaved,
  Overlapped,
  Wave,
  ZeroBubble,
  DualPipe,
  Listed
};

// Families compare by simplicity: a plain pipeline comes before systems, and before transposed regions.
struct ScheduleFamily {
  std::string_view system;  // empty: none
  bool transposed;
  PipelineFamily pipeline;

  friend auto operator<=>(const ScheduleFamily&, const ScheduleFamily&) = default;
};

// "1F1B", "zero bubble", "transposed encoder, interleaved 1F1B", "disttrain, 1F1B".
std::string family_text(const ScheduleFamily& family);
ScheduleFamily family_of(const ScheduleChoice& choice, std::uint32_t ranks);

class PlanChoices {
 public:
  explicit PlanChoices(const PlanJob& job);

  // Returns the layout with the members that nobody decides set to 0, the first schedule of its family and
  // the first framework of its cluster.
  // Layouts of one choice have equal ones.
  PlanLayout of(PlanLayout layout) const;

 private:
  std::vector<std::size_t> first_;                     // cluster of the stated one, by cluster
  std::vector<std::size_t> on_one_rank_, on_several_;  // the first schedule of the family, by schedule
};

// Returns true if a person would call `one` simpler: a simpler family of schedules, or the same with whole
// sequences where `other` shares them out (context parallel). 1F1B, GPipe and interleaved 1F1B are equally
// simple: a deep pipeline of plain 1F1B is no simpler than a short one of several chunks.
bool is_simpler(const PlanJob& job, const PlanLayout& one, const PlanLayout& other);

}  // namespace spillway
