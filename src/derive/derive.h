// derive: cut x schedule x model -> placement x collectives x order (paper section 3.1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/id.h"
#include "derive/input_rule.h"
#include "model/region.h"
#include "order/order.h"
#include "schedule/schedule.h"

namespace spillway {

// P ranks, M microbatches per replica, R data-parallel replicas.
struct Pipeline {
  std::uint32_t ranks;
  std::uint32_t microbatches;
  std::uint32_t replicas = 1;

  friend bool operator==(const Pipeline&, const Pipeline&) = default;
};

// Consecutive blocks on devices of their own: `replicas` pipelines of `ranks` ranks, each of tensor x context
// devices.
struct PlacedModule {
  LayerRange layers;
  std::uint32_t ranks;
  std::uint32_t replicas;
  std::uint32_t tensor = 1;
  std::uint32_t context = 1;

  std::uint32_t members() const { return tensor * context; }
  friend bool operator==(const PlacedModule&, const PlacedModule&) = default;
};

// Does a transfer occupy its sender? Then of two behind one event, a fused pass's output and its gradient,
// the second begins when the first has ended.
enum class PointToPoint { Overlapped, Blocking };

// "overlapped", "blocking".
std::string_view to_string(PointToPoint mode);

// The paper's stage: what one rank holds of one region in one piece. A Replicated region has the whole of it
// on every rank, an input in one or several pieces. A Sharded region has its layers split over P stages, or
// more where its skeleton folds it, one chunk on each rank for every P of them; a bidirectional one has two
// copies of each stage, one of a module as many as the unit has pipelines of it. Numbered region by region,
// chunk by chunk, rank by rank.
struct Stage {
  RegionId region;
  RankId rank;
  std::uint32_t index;  // position inside the region, input first
  LayerRange layers;
  std::uint32_t chunk = 0;   // which of its rank's stages of this region it is
  std::uint32_t chunks = 1;  // how many of them its rank holds

  friend bool operator==(const Stage&, const Stage&) = default;
};

using OwnerMap = std::vector<RankId>;  // microbatch -> rank

struct ByLayer {
  std::vector<StageId> stages;  // in layer order; copies of the same layers one after the other
};
struct ByMicrobatch {
  OwnerMap owner;
  OwnerMap backward = {};  // who runs the backwards; empty: the owner

  RankId backward_of(std::uint32_t microbatch) const {
    return backward.empty() ? owner[microbatch] : backward[microbatch];
  }
};

struct RegionPlacement {
  Layout layout;
  std::variant<ByLayer, ByMicrobatch> owner;
};

struct Seam {
  RegionId upstream;
  RegionId downstream;
  Comm forward;
  std::optional<Comm> backward;  // Lemma 1
};

struct Reduce {
  RegionId region;
  Group group;
};

struct Collectives {
  std::vector<Seam> seams;
  std::vector<Reduce> reduces;
};

// How the ranks' order is made where it does not follow from the skeletons alone: with a transpose that is
// not the input, or with several pipelined runs.
enum class InnerOrder : std::uint8_t {
  // A list schedule of everything behind the input, the oldest microbatch first.
  Listed,
  // The pipelined regions as their skeleton has them with the transposed ones taken out, the transposed
  // passes where they fit.
  Kept,
  // The same, each transposed pass right beside the pass of the stage before it and on its rank, as if it
  // were that stage's layers.
  InPlace,
  // The skeleton's forwards up to P - 1 microbatches ahead of its backwards, and the transposed last region
  // in turns: when P microbatches have come to the end of the pipeline, every rank stops and runs one of
  // them.
  Turns
};

// A pass of the transposed input that runs inside its owner's body: right before the event that stands at
// `before` there, counted from 0 and without other such passes.
struct PlacedPass {
  std::uint32_t before;
  MicrobatchId microbatch;
  bool backward;
  std::uint32_t piece = 0;

  friend bool operator==(const PlacedPass&, const PlacedPass&) = default;
};

// A pass of a transposed input that runs while a pass of the body on its rank communicates: what the latter's
// collectives leave idle, it computes in. `host` as the order has it.
struct HiddenPass {
  StageId stage;
  MicrobatchId microbatch;
  bool backward;
  Event host;

  friend bool operator==(const HiddenPass&, const HiddenPass&) = default;
};

// Samples that are computed elsewhere than where they were drawn: a rule of the schedule, which derive hands
// on to what prices the step (workload/regroup.h).
struct Regrouping {
  enum class Rule : std::uint8_t {
    AsDrawn,
    EachPhase,       // encoder and backbone each balanced among replicas, outputs exchanged between them
    Stratified,      // samples dealt out to replicas and microbatches
    Deferred,        // the same, and backbone work put off to a later microbatch of the replica
    Pooled,          // images of microbatches that are encoded at once
    DealtAndPooled,  // Stratified among all replicas, then Pooled
    Spread           // images of the whole step, over the ranks of the replicas that share
  };
  Rule rule = Rule::AsDrawn;
  // Pooled: microbatches; else neighbouring replicas that share, 0: all.
  std::uint32_t together = 0;
  // Pooled: from one of the microbatches to the next; Spread: ranks, microbatch m being encoded on rank
  // m mod stride.
  std::uint32_t stride = 1;
  // Pipelines that the job's microbatches are dealt out to in turn, where they are not its replicas: number
  // n, counted over the replicas first, is the (n / dealt_to)-th of pipeline n mod dealt_to. 0: as drawn.
  std::uint32_t dealt_to = 0;

  friend auto operator<=>(const Regrouping&, const Regrouping&) = default;
};

// What the algebra's (cut, schedule, model) leaves open.
struct DeriveOptions {
  Pipeline pipeline;
  PointToPoint point_to_point = PointToPoint::Overlapped;
  // One owner map per Replicated region, in region order; missing ones are round-robin, of a region that runs
  // InPlace the ranks of the stages before it, in Turns beginning there.
  std::vector<OwnerMap> owners = {};
  // Layers of each stage of the Sharded regions, in stage order, copies once; empty: as even as it can be.
  std::vector<std::uint32_t> layers_per_rank = {};
  // Megatron's microbatch group of interleaved 1F1B; 0: default_group.
  std::uint32_t microbatch_group = 0;
  // By block: how many consecutive replicas run its layers in lockstep, because their experts span them.
  // Divides R; a stage takes the most of its blocks. Empty: 1 everywhere.
  std::vector<std::uint32_t> joined_replicas = {};
  // For skeletons that parts, and for inner orders: what is expected of each stage, by StageId, and of a
  // transfer between neighbouring ranks. Empty: for skeletons every stage takes and holds the same, for inner
  // orders a layer's passes are as long as each other, whatever is trained.
  Expectations expected = {};
  InnerOrder inner = InnerOrder::Listed;
  // Passes of a transposed input by rank, in the order in which they run, each on the rank that runs it and
  // at most once; empty: every forward before the body, every backward behind it, as are those that are not
  // named. Contract: nothing so placed waits for itself.
  std::vector<std::vector<PlacedPass>> placed = {};
  InputRule input = {};  // of a transposed input
  Regrouping regrouping = {};
  // Hosts in any order; those of one host fill it one after the other. Each is placed, too, behind its host.
  std::vector<HiddenPass> hidden = {};
  // All blocks of the model, input first, on devices of their own, each module of whole regions; `pipeline`
  // is then the unit of the job (modules.h). Empty: one pipeline holds the model. Contract: nothing is
  // transposed.
  std::vector<PlacedModule> modules = {};

  friend bool operator==(const DeriveOptions&, const DeriveOptions&) = default;
};

// Everything of a derivation but the order: what holds before anything is put in sequence.
struct Outline {
  Model model;
  Schedule schedule;  // in normal form
  Cut cut;
  std::vector<Reduction> reductions;
  Pipeline pipeline;
  PointToPoint point_to_point;
  std::vector<Region> regions;
  std::vector<Stage> stages;
  std::vector<RegionPlacement> placement;
  Collectives collectives;
  InputRule input = {};  // of the transposed input
  std::vector<HiddenPass> hidden = {};
  Regrouping regrouping = {};
  std::vector<PlacedModule> modules = {};

  const Stage& stage(StageId id) const { return stages[id.index()]; }
  // The rank on which all backwards of a transposed region run, where they do not run on their owners': it
  // alone accumulates gradients and updates parameters.
  std::optional<RankId> trained_on(RegionId region) const;
  // Does the stage accumulate gradients, if it is trained?
  bool trains(const Stage& stage) const {
    return trained_on(stage.region).value_or(stage.rank) == stage.rank;
  }
  // Does a transposed input's output travel with what it was made from, to the rank that runs all backwards?
  bool sends_input(const Event& transfer) const;
  const Region& region_of(StageId id) const { return regions[stages[id.index()].region.index()]; }
  // The other rank that holds the same stage of a bidirectional region.
  std::optional<RankId> copy_of(const Stage& stage) const;
};

struct Derived : Outline {
  Order order;
};

// The largest order that is built, in events of one replica; a larger one is refused, with the count.
inline constexpr std::uint64_t kLargestOrder = 32'000'000;

// Every violation of the inputs; pointers are relative to a schedule of an experiment (/schedule, /cut,
// /layers_per_rank, /microbatch_group), and /pipeline for sizes.
std::vector<Violation> check_derive(const Model& model, const Schedule& schedule, const Cut& cut,
                                    const DeriveOptions& options);

// Contract: check_derive or check_stream (order_stream.h) finds nothing.
Outline derive_outline(const Model& model, const Schedule& schedule, const Cut& cut,
                       const DeriveOptions& options);

// Contract: check_derive finds nothing. Linear in the events.
Derived derive(const Model& model, const Schedule& schedule, const Cut& cut, const DeriveOptions& options);

// The inner orders that there are to choose from, those that hold least first; none where the ranks'
// order follows from the skeletons. Contract: as derive's.
std::vector<InnerOrder> inner_orders(const Schedule& schedule, const Cut& cut, const DeriveOptions& options);

// Table 2: the seam collective of two adjacent layouts, forward and backward. Contract: not both Replicated.
struct SeamComms {
  Comm forward;
  Comm backward;
};
SeamComms seam_comms(Layout upstream, Layout downstream);

// The event as the paper prints it: Fwd(llm,3,1), Coll(Send,llm:3-4,1), DpReduce(enc,ReplicaGroup), ...;
// where a rank holds several stages of a region, with the stage: Fwd(llm:12,3,1), FwdBwd(llm:3,3,9,llm:12,5)
// for the forward of microbatch 9 in stage 3 and the backward of microbatch 5 in stage 12, both on rank 3. So
// are reductions and broadcasts of a region with several stages: DpReduce(llm:5,DataGroup). No two events of
// an order share a name.
std::string event_name(const Event& event, const std::vector<Region>& regions,
                       const std::vector<Stage>& stages);
inline std::string event_name(const Event& event, const Outline& outline) {
  return event_name(event, outline.regions, outline.stages);
}

}  // namespace spillway
