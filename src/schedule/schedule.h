// The schedule algebra's text: one skeleton per region, "transpose,1f1b" (paper section 3.1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "model/region.h"
#include "schedule/skeleton.h"

namespace spillway {

struct Schedule {
  std::vector<Skeleton> skeletons;

  friend bool operator==(const Schedule&, const Schedule&) = default;
};

// Is a region of it transposed?
bool transposes(const Schedule& schedule);
std::string to_string(const Schedule& schedule);

// Either the schedule or why the text is none; parse(to_string(s)) == s. Pointers start at /schedule.
std::variant<Schedule, std::vector<Violation>> parse_schedule(std::string_view text);

// Two adjacent transposes share one owner map, so they are one region: <transpose,transpose> reduces to
// <transpose>. A reduction names the position of the region that was merged into its predecessor and, where a
// cut was given, the boundary that fell away.
struct Reduction {
  std::size_t region;
  std::uint32_t boundary;
};

struct NormalForm {
  Schedule schedule;
  Cut cut;
  std::vector<Reduction> reductions;  // in input order, positions as the user wrote them
};

// Contract: cut.boundaries.size() + 1 == schedule.skeletons.size().
NormalForm normal_form(const Schedule& schedule, const Cut& cut);

// A maximal run of adjacent Sharded regions [first, end), woven into one wavefront.
struct ShardedRun {
  std::size_t first;
  std::size_t end;
  Skeleton skeleton;
};

std::vector<ShardedRun> sharded_runs(const Schedule& schedule);

// The cut of a schedule whose runs are each given as one piece of the model: `between_runs`, or else the
// default one of so many pieces; inside a run as even as layers can be counted. None where there is no
// default one. Contract: check_cut finds nothing in `between_runs` for as many pieces.
std::optional<Cut> cut_by_runs(const Model& model, const Schedule& schedule,
                               const std::optional<Cut>& between_runs);
// How many pieces that are: the runs, and the regions that are in none.
std::size_t piece_count(const Schedule& schedule);

// What the shape of a schedule cannot be, whatever the model: an empty schedule, two skeletons inside one
// woven run, a run of several regions under a skeleton that does not weave. Pointers start at /schedule.
std::vector<Violation> check_schedule(const Schedule& schedule);

}  // namespace spillway
