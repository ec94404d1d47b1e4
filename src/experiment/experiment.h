// An experiment: what to run, on what, and what it is held against. spillway/experiment/1, see `spillway
// schema experiment` and docs/cost-model.md.
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/warning.h"
#include "cost/analytic_costs.h"
#include "cost/given.h"
#include "derive/derive.h"
#include "derive/input_rule.h"
#include "derive/owner.h"
#include "derive/stage_split.h"
#include "experiment/microbatch_order.h"
#include "experiment/what_if.h"
#include "workload/workload.h"

namespace spillway {

inline constexpr std::uint32_t kMostDraws = 1'000'000;

// What decides between systems besides their rules.
struct Terms {
  bool moves_samples = false;  // are samples, or images of them, computed in other replicas than drawn for?
  bool knows_draw = false;     // is what a step runs planned from its own sizes? Else one plan serves all
  std::uint32_t chunks = 1;    // virtual pipeline stages of a rank

  friend bool operator==(const Terms&, const Terms&) = default;
};

// A schedule whose pipeline is cut into segments (schedule/segments.h), their order searched for what a step
// holds.
struct SegmentRule {
  // All segments, each of a stage on every rank; 0: there is nothing to search.
  std::uint32_t segments() const { return std::accumulate(of_modules.begin(), of_modules.end(), 0U); }

  std::vector<std::uint32_t> of_modules = {};  // segments of each module, input first
  std::uint32_t parts = 1;                     // of a microbatch, that pass the encoder one by one

  friend bool operator==(const SegmentRule&, const SegmentRule&) = default;
};

struct ScheduleSpec {
  // Is what a step runs planned from the sizes of its own draw?
  bool plans_by_sizes() const {
    return owner_from_draw || order != MicrobatchOrder::AsSampled ||
           regrouping.rule != Regrouping::Rule::AsDrawn;
  }

  // Has it owners that sizes say, or an order that is searched for them?
  bool looks_at_sizes() const {
    const bool by_sizes = owner != OwnerPolicy::RoundRobin && owner != OwnerPolicy::Blocked;
    return (transposes(schedule) && by_sizes) || segments.segments() > 1;
  }

  std::string name;
  Schedule schedule;
  Cut cut;  // given, or the default one
  OwnerPolicy owner = OwnerPolicy::Greedy;
  bool owner_from_draw = false;  // a map for each draw, from its own sizes; of what looks_at_sizes() alone
  std::vector<std::uint32_t> layers_per_rank = {};
  std::uint32_t microbatch_group = 0;
  MicrobatchOrder order = MicrobatchOrder::AsSampled;  // made for each draw, from its own sizes
  StageSplit split = StageSplit::ByCount;              // planned, unless layers_per_rank says how
  std::uint32_t encoder_ranks = 0;                     // of a disaggregated split; 0: as many as are best
  InputRule input = {};
  Regrouping regrouping = {};
  SegmentRule segments = {};
  // What a plan takes where each step is planned from its own sizes, as stated; zero: no step waits for it.
  Seconds planning = {};
  std::vector<PlacedModule> modules = {};    // on devices of their own (derive/modules.h)
  bool solve_modules = false;                // the devices of `modules` are yet to be solved for
  bool solve_ranks = false;                  // the same, of as many pipelines as the job has replicas
  bool solve_segments = false;               // segments and parts are yet to be chosen by what modules take
  std::vector<std::string> kept_terms = {};  // that differ from those of `equal_terms`, and why
  std::string unranked = {};                 // why its figures are shown and not ranked; empty where they are
  std::string system = {};                   // which laid it out (src/systems); empty where a user did
  std::vector<std::string> assumptions = {};  // of that system; printed with the result

  friend bool operator==(const ScheduleSpec&, const ScheduleSpec&) = default;
};

// Set the number at `pointer` so that the longest path of `schedule`, mean over the draws, takes `makespan`.
struct FitSpec {
  std::string pointer;
  std::size_t schedule;
  Seconds makespan;
};

// Costs by architecture, platform and drawn images.
struct AnalyticExperiment {
  AnalyticCosts costs;
  WorkloadSpec workload;
};

using JobCosts = std::variant<GivenCosts, AnalyticExperiment>;

// The costs on a platform; null where durations are given.
const AnalyticCosts* on_platform(const JobCosts& costs);
AnalyticCosts* on_platform(JobCosts& costs);

// How the devices of a rank share its work. A rank is one device where durations are given.
Parallelism parallelism_of(const JobCosts& costs);

// How the replay sees the collectives inside computing events: as part of their price, or as flows that share
// links.
enum class InnerCollectives { Priced, Flows };

// A key of the document that changes no figure of this job, whatever its value, and why.
struct IdleKey {
  std::string pointer;
  std::string reason;

  friend bool operator==(const IdleKey&, const IdleKey&) = default;
};

struct Experiment {
  std::string name;
  std::vector<std::string> assumptions;  // texts, printed with the result (assumed.h)
  Pipeline pipeline;
  Model model;
  PointToPoint point_to_point = PointToPoint::Overlapped;
  InnerCollectives collectives = InnerCollectives::Priced;
  JobCosts costs;
  std::vector<ScheduleSpec> schedules;
  std::size_t baseline = 0;
  std::vector<FitSpec> fits = {};
  std::uint64_t seed = 1;
  std::uint32_t draws = 1;
  std::optional<Bytes> memory_limit = {};  // of a rank, or of each device where there is a platform
  std::vector<Warning> warnings = {};      // of what was read
  std::vector<IdleKey> idle_keys = {};     // in the order of the document's sections
  std::optional<Terms> equal_terms = {};   // of all systems, where they are played on the same
  WhatIf what_if = {};                     // set in what costs are made from when they are (costs.h)
  std::string samples_from = {};           // which files and numbers samples are drawn from, a sentence
};

// What a run whose whole timelines are held refuses besides: every schedule whose order is too large to be
// held, and replicas too many for all their timelines. Empty for what `run` and `explain` take; figures alone
// may be streamed (timing/streamed_step.h). Of replicas that run alike, ask with one.
std::vector<Violation> check_whole_timelines(const Experiment& experiment);

}  // namespace spillway
