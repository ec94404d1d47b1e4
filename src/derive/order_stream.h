// The order of derive() as a stream that is not held in memory: the computing events of each rank in order,
// and the transfers of each result. It serves steps that exceed memory, and steps that are evaluated once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "derive/derive.h"
#include "derive/paths.h"

namespace spillway {

// The largest order that is streamed, in events of one replica.
inline constexpr std::uint64_t kLargestStream = 2'000'000'000;

// Returns every violation of the inputs, as check_derive does. An order can be streamed if the ranks'
// sequences follow from the skeletons alone (one run of pipelined regions, after transposed inputs at most),
// and if replicas run apart until their gradients are reduced. Only 1F1B and GPipe, interleaved or not, may
// have more than kLargestOrder events; for other skeletons the ranks' orders are held, at about 20 bytes a
// slot.
std::vector<Violation> check_stream(const Model& model, const Schedule& schedule, const Cut& cut,
                                    const DeriveOptions& options);

// Returns violations for both derive() and a stream: as check_derive, with the larger limit if the order can
// be streamed.
std::vector<Violation> check_step(const Model& model, const Schedule& schedule, const Cut& cut,
                                  const DeriveOptions& options);

// A gradient reduction at the end of the step, and the stages whose backwards it waits for.
struct StepReduce {
  Event event;
  std::vector<StageId> copies;
};

// Events have the same fields as in derive()'s order, except for joined replicas, which do not exist before
// the reductions. Several threads may call const methods at once.
class OrderStream {
 public:
  // Contract: check_stream finds nothing.
  OrderStream(const Model& model, const Schedule& schedule, const Cut& cut, const DeriveOptions& options);

  // The outline that cost models take.
  const Outline& outline() const { return outline_; }

  // The computing events of a rank in order: its own encodes, its body, the encodes' backwards. Positions of
  // events that Lemma 1 omits are empty.
  std::uint64_t positions(RankId rank) const;
  std::optional<Event> computing(RankId rank, std::uint64_t position) const;

  // The transfer of the result of `stage` for a microbatch, forward and backward; none if nothing waits for
  // it. Backward there may be one for each stage that feeds this one; `feeder` counts from the last input.
  std::optional<Event> passed_on(StageId stage, MicrobatchId microbatch) const;
  std::optional<Event> passed_back(StageId stage, MicrobatchId microbatch, std::uint32_t feeder) const;

  // feeders: the number of previous stages that a forward in `stage` waits for. is_fed_back: a backward waits
  // for a later stage.
  std::uint32_t feeders(StageId stage) const;
  bool is_fed_back(StageId stage) const;

  // The number of microbatches that pass the stage before this one. Contract: this one passes it.
  std::uint32_t turn(StageId stage, MicrobatchId microbatch) const {
    return turn_[outline_.stage(stage).region.index()][microbatch.index()];
  }

  const std::vector<StepReduce>& reduces() const { return reduces_; }

 private:
  // A pass of a transposed input.
  struct Encode {
    RegionId input;
    MicrobatchId microbatch;
  };

  std::vector<std::vector<Encode>> encodes(bool backward) const;
  std::uint64_t slots() const;
  Slot slot(RankId rank, std::uint64_t position) const;
  std::optional<Event> event_of(const Slot& slot, RankId rank) const;
  bool receives(StageId stage) const { return footprints_[outline_.stage(stage).region.index()].receives; }
  StageId stage_of_slot(RankId rank, std::uint32_t chunk) const;

  Outline outline_;
  std::vector<BackwardFootprint> footprints_;
  Paths paths_;
  std::optional<ShardedRun> run_;
  RunShape shape_;
  std::vector<RankOrder> orders_;                 // by rank; empty if slots follow from positions
  std::vector<std::vector<Encode>> owned_;        // by rank: passes of transposed inputs in their order
  std::vector<std::vector<Encode>> trained_;      // by rank: those that run backwards
  std::vector<std::vector<std::uint32_t>> turn_;  // by region and microbatch
  std::vector<StepReduce> reduces_;
};

}  // namespace spillway
