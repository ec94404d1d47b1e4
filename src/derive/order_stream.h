// The order of derive(), event by event, without holding it: what each rank computes, one event after the
// other, and whom each event passes its result on to. For steps of more events than memory holds, and where
// a step is evaluated once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "derive/derive.h"
#include "derive/paths.h"

namespace spillway {

// The largest order that is streamed, in events of one replica.
inline constexpr std::uint64_t kLargestStream = 2'000'000'000;

// Every violation of the inputs, as of check_derive: an order is streamed where the ranks' sequences follow
// from the skeletons alone, one run of pipelined regions behind a transposed input or none, and its replicas
// run apart until their gradients are reduced. More than kLargestOrder events are streamed of 1F1B and GPipe,
// woven or not; of the other skeletons the ranks' orders are held, at some 20 bytes a slot.
std::vector<Violation> check_stream(const Model& model, const Schedule& schedule, const Cut& cut,
                                    const DeriveOptions& options);

// What neither derive() nor a stream takes: as check_derive, with the limit of a stream where there is one.
std::vector<Violation> check_step(const Model& model, const Schedule& schedule, const Cut& cut,
                                  const DeriveOptions& options);

// A gradient reduction at the end of the step, and the stages whose backwards it waits for.
struct StepReduce {
  Event event;
  std::vector<StageId> copies;
};

// Events have the fields that they have in derive()'s order, but for joined replicas, of which there are
// none before the reductions. Const methods may be called from several threads at once.
class OrderStream {
 public:
  // Contract: check_stream finds nothing.
  OrderStream(const Model& model, const Schedule& schedule, const Cut& cut, const DeriveOptions& options);

  // What cost models are asked about.
  const Outline& outline() const { return outline_; }

  // What a rank computes, one after the other: the encodes that it owns, its body, their backwards. Positions
  // of events that Lemma 1 leaves out are empty.
  std::uint64_t positions(RankId rank) const;
  std::optional<Event> computing(RankId rank, std::uint64_t position) const;

  // The transfer of what `stage` has computed of a microbatch, forwards and backwards; none where nothing
  // waits for it.
  std::optional<Event> passed_on(StageId stage, MicrobatchId microbatch) const;
  std::optional<Event> passed_back(StageId stage, MicrobatchId microbatch) const;

  // Does a forward in `stage` wait for one before it, a backward for one behind it?
  bool is_fed(StageId stage) const;
  bool is_fed_back(StageId stage) const;

  // How many microbatches pass the stage before this one, which passes it, too.
  std::uint32_t turn(StageId stage, MicrobatchId microbatch) const {
    return turn_[outline_.stage(stage).region.index()][microbatch.index()];
  }

  const std::vector<StepReduce>& reduces() const { return reduces_; }

 private:
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
  std::vector<RankOrder> orders_;                 // by rank; empty where slots follow from positions
  std::vector<std::vector<MicrobatchId>> owned_;  // by rank: of a transposed input, ascending
  std::vector<std::vector<std::uint32_t>> turn_;  // by region and microbatch
  std::vector<StepReduce> reduces_;
};

}  // namespace spillway
