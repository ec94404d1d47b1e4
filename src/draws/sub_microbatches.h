// Sub-microbatches: an order in which every microbatch is cut into parts. The encoder takes the parts one by
// one, the backbone takes them together.
//
//   encoder    e1.1 e1.2 e2.1 e2.2       each pass takes its part of the microbatch
//   backbone             F1        F2    the last part of a forward and the first part of a backward take all
//                                        of its time, other parts take none
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cost/costs_over.h"
#include "derive/derive.h"

namespace spillway {

// Microbatch p of the order is part p mod S of microbatch p / S. A part's encoder passes, memory and messages
// are 1/S of the microbatch's, whatever its images. A transfer whose bytes are known takes 1/S of its time.
// Operators are not listed, since there is no order of whole microbatches to list them for.
class SubMicrobatches final : public CostsOver {
 public:
  // `whole` has the costs of `coarse`, which is the outline with 1/S of its microbatches. Contract: every
  // stage holds only layers of the leading encoder, or none of them.
  SubMicrobatches(std::unique_ptr<Outline> coarse, std::unique_ptr<CostModel> whole, std::uint32_t parts);

  Seconds pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;
  Seconds overlapped(const Event& event, ReplicaId replica) const override;
  Transfer transfer(const Event& event, ReplicaId replica) const override;
  // A part has its share of the bytes, and no shape of its own.
  MessageSize message(const Event& event, ReplicaId replica) const override;
  // An encoder's event is uniform if that of a whole microbatch is. The backbone's are not, since one part
  // takes all of the time.
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
  // Returns true if each part moves by itself.
  bool in_parts(const Event& transfer) const {
    return encodes(transfer.stage) || encodes(transfer.peer_stage);
  }
  // Returns the share of the whole microbatch's time.
  double share(StageId stage, MicrobatchId part, bool backward) const;
  double share(const Event& event) const;
  Event whole(Event event) const;

  std::unique_ptr<Outline> coarse_;
  std::uint32_t parts_;
  std::vector<bool> encodes_;  // by stage
};

}  // namespace spillway
