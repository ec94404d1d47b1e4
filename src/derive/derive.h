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

// Consecutive blocks on dedicated devices: `replicas` pipelines of `ranks` ranks, each rank with tensor x
// context devices.
struct PlacedModule {
  LayerRange layers;
  std::uint32_t ranks;
  std::uint32_t replicas;
  std::uint32_t tensor = 1;
  std::uint32_t context = 1;

  std::uint32_t members() const { return tensor * context; }
  friend bool operator==(const PlacedModule&, const PlacedModule&) = default;
};

// A blocking transfer occupies its sender. If two follow one event (a fused pass's output and its gradient),
// the second begins when the first has ended.
enum class PointToPoint { Overlapped, Blocking };

// "overlapped", "blocking".
std::string_view to_string(PointToPoint mode);

// The paper's stage: one contiguous piece of a region on one rank. A Replicated region is whole on every
// rank; an input may be in several pieces. A Sharded region has its layers split over P stages, or over more
// if its skeleton folds it, with one chunk on each rank for every P stages. A bidirectional region has two
// copies of each stage; a module has as many as the unit has pipelines of it. Stages are numbered region by
// region, chunk by chunk, rank by rank.
struct Stage {
  RegionId region;
  RankId rank;
  std::uint32_t index;  // position inside the region, input first
  LayerRange layers;
  std::uint32_t chunk = 0;   // position among its rank's stages of this region
  std::uint32_t chunks = 1;  // number of those stages on its rank

  friend bool operator==(const Stage&, const Stage&) = default;
};

using OwnerMap = std::vector<RankId>;  // microbatch -> rank

struct ByLayer {
  std::vector<StageId> stages;  // in layer order; copies of the same layers are adjacent
};
struct ByMicrobatch {
  OwnerMap owner;
  OwnerMap backward = {};  // the ranks that run the backwards; empty: the owners

  RankId backward_of(std::uint32_t microbatch) const {
    return backward.empty() ? owner[microbatch] : backward[microbatch];
  }
};

struct RegionPlacement {
  Layout layout;
  std::variant<ByLayer, ByMicrobatch> owner;
};

// Every region but the last hands over at one seam, and seams are in the order of these regions. A region
// hands over to the next one; all inputs hand over to the region behind the last of them.
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

// The ranks' order if it does not follow from the skeletons alone: with a transpose that is not the input, or
// with several pipelined runs.
enum class InnerOrder : std::uint8_t {
  // A list schedule of everything after the input, the oldest microbatch first.
  Listed,
  // The pipelined regions in their skeleton's order, as if the transposed regions were removed; transposed
  // passes run where they fit.
  Kept,
  // The same, but each transposed pass runs beside the pass of the stage before it, on its rank, as if it
  // were layers of that stage.
  InPlace,
  // The skeleton's forwards run up to P - 1 microbatches ahead of its backwards. The transposed last region
  // runs in turns: when P microbatches have reached the end of the pipeline, every rank stops and runs one of
  // them.
  Turns
};

// A pass of a transposed input inside its owner's body, right before the body's event number `before`, or
// behind the body if there is no such event. Events count from 0, without other such passes. Pieces count
// through the inputs, first input first.
struct PlacedPass {
  std::uint32_t before;
  MicrobatchId microbatch;
  bool backward;
  std::uint32_t piece = 0;

  friend bool operator==(const PlacedPass&, const PlacedPass&) = default;
};

// A pass of a transposed input that runs while a pass of the body, its host, communicates on the same rank.
// It computes while the host's collectives leave the device idle. `host` is the event as in the order.
struct HiddenPass {
  StageId stage;
  MicrobatchId microbatch;
  bool backward;
  Event host;

  friend bool operator==(const HiddenPass&, const HiddenPass&) = default;
};

// A rule of the schedule that computes samples in another place than where they were drawn. derive passes it
// on to the pricing of the step (workload/regroup.h).
struct Regrouping {
  enum class Rule : std::uint8_t {
    AsDrawn,
    EachPhase,       // encoder and backbone each balanced among replicas, outputs exchanged between them
    Stratified,      // samples distributed over replicas and microbatches
    Deferred,        // the same, and backbone work deferred to a later microbatch of the replica
    Pooled,          // images of microbatches that are encoded together
    DealtAndPooled,  // Stratified among all replicas, then Pooled
    Spread           // images of the whole step, over the ranks of the sharing replicas
  };
  Rule rule = Rule::AsDrawn;
  // Pooled: number of microbatches. Else: number of neighbouring replicas that share; 0: all.
  std::uint32_t together = 0;
  // Pooled: distance between these microbatches. Spread: number of ranks; rank m mod stride encodes
  // microbatch m.
  std::uint32_t stride = 1;
  // The number of pipelines that take the job's microbatches in turn, if it is not the number of replicas.
  // Microbatch n, counted over the replicas first, is the (n / dealt_to)-th of pipeline n mod dealt_to. 0: as
  // drawn.
  std::uint32_t dealt_to = 0;

  friend auto operator<=>(const Regrouping&, const Regrouping&) = default;
};

// The options that cut, schedule and model leave open.
struct DeriveOptions {
  Pipeline pipeline;
  PointToPoint point_to_point = PointToPoint::Overlapped;
  // One owner map per Replicated region, in region order. Missing maps are round-robin. For a region behind
  // pipelined ones that runs InPlace they are the ranks of the previous stages; for Turns they are
  // round-robin from there.
  std::vector<OwnerMap> owners = {};
  // Layers of each stage of the Sharded regions, in stage order, copies once; empty: as even as possible.
  std::vector<std::uint32_t> layers_per_rank = {};
  // Megatron's microbatch group of interleaved 1F1B; 0: default_group.
  std::uint32_t microbatch_group = 0;
  // By block: the number of consecutive replicas that run its layers in lockstep, because their experts span
  // them. It divides R. A stage has the largest number of its blocks. Empty: 1 everywhere.
  std::vector<std::uint32_t> joined_replicas = {};
  // For planned skeletons and inner orders: the expectations of each stage, by StageId, and of a transfer
  // between neighbouring ranks. Empty: skeletons take all stages as equal, and inner orders take all passes
  // of a layer as equally long, trained or not.
  Expectations expected = {};
  InnerOrder inner = InnerOrder::Listed;
  // Passes of transposed inputs inside the bodies, by the rank that runs them and in their order; each at
  // most once. Passes that are not listed run outside: forwards before the body, backwards after it.
  // Contract: no placed pass waits for itself.
  std::vector<std::vector<PlacedPass>> placed = {};
  InputRule input = {};  // of every transposed input
  Regrouping regrouping = {};
  // Hosts may be in any order; passes of one host fill it one after the other. Each pass is also in `placed`,
  // after its host.
  std::vector<HiddenPass> hidden = {};
  // The modules on dedicated devices, input first; they cover all blocks, and each has whole regions.
  // `pipeline` is then the unit of the job (modules.h). Empty: one pipeline holds the model. Contract: no
  // region is transposed.
  std::vector<PlacedModule> modules = {};

  friend bool operator==(const DeriveOptions&, const DeriveOptions&) = default;
};

// A derivation without its order: everything that holds before events are put in sequence.
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
  InputRule input = {};  // of every transposed input
  std::vector<HiddenPass> hidden = {};
  Regrouping regrouping = {};
  std::vector<PlacedModule> modules = {};

  const Stage& stage(StageId id) const { return stages[id.index()]; }
  // The number of inputs: transposed regions at the beginning. They are the first regions, and their stages
  // the first stages.
  std::size_t inputs() const { return input_count(schedule); }
  bool is_input(RegionId region) const { return region.index() < inputs(); }
  bool is_input(StageId id) const { return is_input(stage(id).region); }
  // The inputs' stages on one rank: the passes of a microbatch that one rank encodes, in their order.
  std::vector<StageId> input_stages(RankId rank) const;
  // The rank that runs all backwards of a transposed region, if the owners do not. Only this rank accumulates
  // gradients and updates parameters.
  std::optional<RankId> trained_on(RegionId region) const;
  // Returns true if the stage accumulates gradients when it is trained.
  bool trains(const Stage& stage) const {
    return trained_on(stage.region).value_or(stage.rank) == stage.rank;
  }
  // Returns true if a transposed input's output travels together with its input, to the rank that runs all
  // backwards.
  bool sends_input(const Event& transfer) const;
  const Region& region_of(StageId id) const { return regions[stages[id.index()].region.index()]; }
  // The other rank that holds the same stage of a bidirectional region.
  std::optional<RankId> copy_of(const Stage& stage) const;
};

struct Derived : Outline {
  Order order;
};

// The largest order that is built, in events of one replica. The message for a larger one states the count.
inline constexpr std::uint64_t kLargestOrder = 32'000'000;

// Returns every violation of the inputs. Pointers are relative to a schedule of an experiment (/schedule,
// /cut, /layers_per_rank, /microbatch_group), and /pipeline for sizes.
std::vector<Violation> check_derive(const Model& model, const Schedule& schedule, const Cut& cut,
                                    const DeriveOptions& options);

// Contract: check_derive or check_stream (order_stream.h) finds nothing.
Outline derive_outline(const Model& model, const Schedule& schedule, const Cut& cut,
                       const DeriveOptions& options);

// Contract: check_derive finds nothing. Linear in the events.
Derived derive(const Model& model, const Schedule& schedule, const Cut& cut, const DeriveOptions& options);

// Returns the events that wait for each other in a circle, if some do: "Fwd(llm,1,1) -> ...". Contract:
// check_derive finds nothing.
std::optional<std::string> circle_of(const Model& model, const Schedule& schedule, const Cut& cut,
                                     const DeriveOptions& options);

// The possible inner orders, those with the least activations first; none if the ranks' order follows from
// the skeletons. Contract: as derive's.
std::vector<InnerOrder> inner_orders(const Model& model, const Schedule& schedule, const Cut& cut,
                                     const DeriveOptions& options);

// Table 2: the seam collective of two adjacent layouts, forward and backward. Contract: not both Replicated.
struct SeamComms {
  Comm forward;
  Comm backward;
};
SeamComms seam_comms(Layout upstream, Layout downstream);

// The event as the paper prints it: Fwd(llm,3,1), Coll(Send,llm:3-4,1), DpReduce(enc,ReplicaGroup), ...; If a
// rank holds several stages of a region, the name has the stage: Fwd(llm:12,3,1), FwdBwd(llm:3,3,9,llm:12,5)
// for the forward of microbatch 9 in stage 3 and the backward of microbatch 5 in stage 12, both on rank 3.
// Reductions and broadcasts of a region with several stages have it, too: DpReduce(llm:5,DataGroup). No two
// events of an order share a name.
std::string event_name(const Event& event, const std::vector<Region>& regions,
                       const std::vector<Stage>& stages);
inline std::string event_name(const Event& event, const Outline& outline) {
  return event_name(event, outline.regions, outline.stages);
}

}  // namespace spillway
