#include "draws/straggler.h"

namespace spillway {

Seconds StragglerCosts::pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const {
  return under().pass(pass, stage, microbatch, replica) * factor(outline_.stage(stage).rank);
}

Seconds StragglerCosts::overlapped(const Event& event, ReplicaId replica) const {
  return under().overlapped(event, replica) * factor(event.rank);
}

InsidePass StragglerCosts::inside(const Event& event, ReplicaId replica) const {
  const InsidePass inside = under().inside(event, replica);
  return {inside.collectives * factor(event.rank), inside.recomputed * factor(event.rank)};
}

}  // namespace spillway
