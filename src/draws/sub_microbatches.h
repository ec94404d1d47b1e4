// An order in which every microbatch is cut into parts that pass the encoder one by one and the backbone
// together: sub-microbatches.
//
//   encoder    e1.1 e1.2 e2.1 e2.2       each takes its part of the microbatch
//   backbone             F1        F2    the last part of a forward, the first of a backward takes all of it,
//                                        the others take no time beside it
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cost/costs_over.h"
#include "derive/derive.h"

namespace spillway {

// Microbatch number p of the order is part p mod S of microbatch p / S. A part of the encoder's passes and of
// what they hold and send is an S-th, whatever the images; a transfer whose bytes are known takes an S-th of
// its time. Operators are not listed: there is no order of whole microbatches to list them for.
class SubMicrobatches final : public CostsOver {
 public:
  // `whole`: of the outline with an S-th of its microbatches, which is `coarse`. Contract: stages hold layers
  // of the leading encoder alone or none of it.
  SubMicrobatches(std::unique_ptr<Outline> coarse, std::unique_ptr<CostModel> whole, std::uint32_t parts);

  Seconds pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;
  Seconds overlapped(const Event& event, ReplicaId replica) const override;
  Transfer transfer(const Event& event, ReplicaId replica) const override;
  // What the encoder's parts take is, and send, where it is so of whole microbatches; of the backbone one
  // part takes all.
  bool uniform(const Event& event) const override;
  StageId like(StageId stage) const override;
  bool same_transfers(const Event& a, const Event& b) const override;

  Held held(StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;
  bool holds_alike(StageId) const override { return false; }
  Bytes received(const Event& event, ReplicaId replica) const override;

  std::vector<SlabCollective> collectives(const Event& event, ReplicaId replica) const override;
  InsidePass inside(const Event& event, ReplicaId replica) const override;
  std::vector<PricedOperator> priced_operators(const Order&) const override { return {}; }

 private:
  bool encodes(StageId stage) const { return encodes_[stage.index()]; }
  // Does each part move by itself?
  bool in_parts(const Event& transfer) const {
    return encodes(transfer.stage) || encodes(transfer.peer_stage);
  }
  // Of what the whole microbatch takes there.
  double share(StageId stage, MicrobatchId part, bool backward) const;
  double share(const Event& event) const;
  Event whole(Event event) const;

  std::unique_ptr<Outline> coarse_;
  std::uint32_t parts_;
  std::vector<bool> encodes_;  // by stage
};

}  // namespace spillway
