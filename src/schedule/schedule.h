// The schedule algebra's text: one skeleton per region, "transpose,1f1b" (paper section 3.1).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "model/region.h"

namespace spillway {

enum class SkeletonKind {
  OneFOneB,
  GPipe,
  Transpose,
  ZbH1,
  ZbH2,
  Zb1p,
  Zb2p,
  ZbV,
  VHalf,
  VMin,
  Wave,
  DualPipe,
  DualPipeV,
  Listed  // order and placement come with the schedule (placed_orders.h); the text does not hold them
};

// What rules one region. A kind alone is a skeleton, but for wave(w).
struct Skeleton {
  SkeletonKind kind;
  std::uint32_t waves = 0;  // w of wave(w), at least 1; 0 for every other kind

  constexpr Skeleton(SkeletonKind k, std::uint32_t w = 0) : kind(k), waves(w) {}
  friend bool operator==(const Skeleton&, const Skeleton&) = default;
};

// A skeleton's one derived property.
enum class Layout { Sharded, Replicated };

// How a Sharded region's stages lie on P ranks, input first.
//   Straight       P stages, stage r on rank r
//   Reflected      cP stages, down the ranks and up again: chunk k of rank r is stage kP + r where k is even,
//                  kP + P-1-r where it is odd. c = 2: a V; c = 2w: w waves
//   Bidirectional  P stages, each held twice: chunk 0 of rank r is stage r, chunk 1 is stage P-1-r; of the
//                  microbatches 1, 3, 5, ... enter at rank 0 and run through chunk 0, the others at rank P-1
//                  through chunk 1
enum class Fold { Straight, Reflected, Bidirectional };

struct Schedule {
  std::vector<Skeleton> skeletons;

  friend bool operator==(const Schedule&, const Schedule&) = default;
};

Layout layout_of(Skeleton skeleton);
// Listed brings its placement along: Straight, and one stage per rank, say nothing of it.
Fold fold_of(Skeleton skeleton);
// How many stages of a region a rank holds; 1 for Replicated ones.
std::uint32_t chunks_of(Skeleton skeleton);
// Over how many stages P ranks split the layers of a Sharded region. Contract: not Listed.
std::uint64_t stage_count(Skeleton skeleton, std::uint32_t ranks);
// Does it split backwards in two, some of them or all? Of Listed: it may.
bool splits_backward(Skeleton skeleton);
// Does its order follow from expected times and sizes, not from its shape alone?
bool plans(Skeleton skeleton);
// Do adjacent regions under this skeleton weave into one wavefront?
bool weaves(Skeleton skeleton);
// Is a region of it transposed?
bool transposes(const Schedule& schedule);
std::string to_string(Skeleton skeleton);
std::string to_string(Layout layout);
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

// What the shape of a schedule cannot be, whatever the model: an empty schedule, two skeletons inside one
// woven run, a run of several regions under a skeleton that does not weave. Pointers start at /schedule.
std::vector<Violation> check_schedule(const Schedule& schedule);

}  // namespace spillway
