// A schedule and its text: one skeleton per region, "transpose,1f1b" (paper section 3.1).
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

// Returns true if a region of it is transposed.
bool transposes(const Schedule& schedule);
std::string to_string(const Schedule& schedule);

// Returns the schedule, or the reasons why the text is not one; parse(to_string(s)) == s. Pointers start at
// /schedule.
std::variant<Schedule, std::vector<Violation>> parse_schedule(std::string_view text);

// The number of transposed regions that a schedule begins with: its inputs.
std::size_t input_count(const Schedule& schedule);

// Two adjacent transposes share one owner map, so they are one region: <transpose,transpose> reduces to
// <transpose>. A reduction names the position of the region that was merged into its predecessor, and the
// boundary that it removed. Towers side by side at the beginning of the model are an exception, since none
// reads another's output: each is an input of its own. <transpose> over two towers becomes
// <transpose,transpose>.
struct Reduction {
  std::size_t region;
  std::uint32_t boundary;
};

struct NormalForm {
  Schedule schedule;
  Cut cut;
  std::vector<Reduction> reductions;  // in input order, positions as the user wrote them
};

// Contract: check_cut finds nothing.
NormalForm normal_form(const Model& model, const Schedule& schedule, const Cut& cut);

// A maximal run of adjacent Sharded regions [first, end), woven into one wavefront.
struct ShardedRun {
  std::size_t first;
  std::size_t end;
  Skeleton skeleton;
};

std::vector<ShardedRun> sharded_runs(const Schedule& schedule);

// The cut of a schedule whose runs are one piece of the model each. The pieces are cut by `between_runs`, or
// by the default cut. Inside a run the layers are split as evenly as possible. Returns nothing if there is no
// default cut. Contract: check_cut finds nothing in `between_runs` for piece_count() pieces.
std::optional<Cut> cut_by_runs(const Model& model, const Schedule& schedule,
                               const std::optional<Cut>& between_runs);
// The number of these pieces: the runs, and the regions outside of runs.
std::size_t piece_count(const Schedule& schedule);
// True if some run has several regions.
bool has_woven_regions(const Schedule& schedule);

// Returns violations of the schedule's shape that hold for any model: an empty schedule, two skeletons inside
// one interleaved run, a run of several regions under a skeleton that cannot interleave them. Pointers start
// at /schedule.
std::vector<Violation> check_schedule(const Schedule& schedule);

}  // namespace spillway
