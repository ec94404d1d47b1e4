#include "memory/held_table.h"

namespace spillway {

HeldTable::HeldTable(const Outline& derived, const CostModel& costs, ReplicaId replica)
    : derived_(derived), costs_(costs), replica_(replica), alike_(derived.stages.size()) {
  for (std::uint32_t i = 0; i < alike_.size(); ++i)
    if (costs.holds_alike(derived, StageId(i)))
      alike_[i] = costs.held(derived, StageId(i), MicrobatchId(0), replica);
}

}  // namespace spillway
