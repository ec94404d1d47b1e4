// An experiment: what to run, on what, and what to compare it with. Its format is spillway/experiment/1, see
// `spillway schema experiment` and docs/cost-model.md.
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
#include "derive/listed_encodes.h"
#include "derive/owner.h"
#include "derive/stage_split.h"
#include "experiment/microbatch_order.h"
#include "experiment/what_if.h"
#include "workload/workload.h"

namespace spillway {

inline constexpr std::uint32_t kMostDraws = 1'000'000;

// Properties that distinguish systems, besides their rules.
struct Terms {
  bool moves_samples = false;  // samples, or their images, are computed in other replicas than drawn for
  bool knows_draw = false;     // each step is planned from its own sizes; else one plan serves all steps
  std::uint32_t chunks = 1;    // virtual pipeline stages of a rank

  friend bool operator==(const Terms&, const Terms&) = default;
};

// A schedule whose pipeline is cut into segments (schedule/segments.h). Their order is searched for the sizes
// of a step.
struct SegmentRule {
  // The number of segments, each with a stage on every rank. 0: there is nothing to search.
  std::uint32_t segments() const { return std::accumulate(of_modules.begin(), of_modules.end(), 0U); }

  std::vector<std::uint32_t> of_modules = {};  // segments of each module, input first
  std::uint32_t parts = 1;                     // parts of a microbatch that pass the encoder one by one

  friend bool operator==(const SegmentRule&, const SegmentRule&) = default;
};

struct ScheduleSpec {
  // Returns true if each step is planned from the sizes of its own draw.
  bool plans_by_sizes() const {
    return owner_from_draw || order != MicrobatchOrder::AsSampled ||
           regrouping.rule != Regrouping::Rule::AsDrawn;
  }

  // Returns true if its owners depend on sizes, or its order is searched for them.
  bool looks_at_sizes() const {
    const bool by_sizes = owner != OwnerPolicy::RoundRobin && owner != OwnerPolicy::Blocked;
    return (transposes(schedule) && by_sizes && !encodes) || segments.segments() > 1;
  }

  std::string name;
  Schedule schedule;
  Cut cut;  // given, or the default
  OwnerPolicy owner = OwnerPolicy::Greedy;
  bool owner_from_draw = false;  // a map for each draw, from its own sizes; requires looks_at_sizes()
  std::vector<std::uint32_t> layers_per_rank = {};
  std::uint32_t microbatch_group = 0;
  MicrobatchOrder order = MicrobatchOrder::AsSampled;  // made for each draw, from its own sizes
  StageSplit split = StageSplit::ByCount;              // planned, unless layers_per_rank is set
  std::uint32_t encoder_ranks = 0;                     // of a disaggregated split; 0: the best number
  InputRule input = {};
  Regrouping regrouping = {};
  SegmentRule segments = {};
  // The stated time of a plan, if each step is planned from its own sizes. Zero: no step waits for its plan.
  Seconds planning = {};
  std::vector<PlacedModule> modules = {};     // modules on dedicated devices (derive/modules.h)
  bool solve_modules = false;                 // the devices of `modules` are solved for later
  bool solve_ranks = false;                   // the same, with as many pipelines as the job has replicas
  bool solve_segments = false;                // segments and parts are chosen later, by the times of modules
  std::vector<std::string> kept_terms = {};   // terms that differ from `equal_terms`, and why
  std::optional<StatedEncodes> encodes = {};  // of a listed order that states them; else they are planned
  std::string unranked = {};  // why its figures are shown but not ranked; empty if they are ranked
  std::string system = {};    // the system that laid it out (src/systems); empty if a user did
  std::vector<std::string> assumptions = {};  // assumptions of that system; printed with the result

  friend bool operator==(const ScheduleSpec&, const ScheduleSpec&) = default;
};

// Sets the number at `pointer` so that the longest path of `schedule` takes `makespan`, as a mean over the
// draws.
struct FitSpec {
  std::string pointer;
  std::size_t schedule;
  Seconds makespan;
};

// Costs that follow from architecture, platform and drawn images.
struct AnalyticExperiment {
  AnalyticCosts costs;
  WorkloadSpec workload;
};

using JobCosts = std::variant<GivenCosts, AnalyticExperiment>;

// Returns the costs on a platform, or null if durations are given.
const AnalyticCosts* on_platform(const JobCosts& costs);
AnalyticCosts* on_platform(JobCosts& costs);

// Returns how the devices of a rank share its work. If durations are given, a rank is one device.
Parallelism parallelism_of(const JobCosts& costs);

// How the replay runs collectives inside computing events: as part of the event's price, or as flows that
// share links.
enum class InnerCollectives { Priced, Flows };

// A key of the document that changes no figure of this job, whatever its value, and the reason.
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
  std::optional<Bytes> memory_limit = {};  // of a rank, or of each device if there is a platform
  std::vector<Warning> warnings = {};      // from reading the document
  std::vector<IdleKey> idle_keys = {};     // in the order of the document's sections
  std::optional<Terms> equal_terms = {};   // terms of all systems, if they are compared on equal terms
  WhatIf what_if = {};                     // applied when costs are made (costs.h)
  std::string samples_from = {};  // a sentence that names the files and numbers that samples are drawn from
};

// Returns the additional violations of a run that keeps whole timelines: every schedule whose order is too
// large to hold, and too many replicas for all their timelines. Empty for experiments that `run` and
// `explain` accept. Figures alone may be streamed (timing/streamed_step.h). If replicas run alike, call it
// with one.
std::vector<Violation> check_whole_timelines(const Experiment& experiment);

}  // namespace spillway
