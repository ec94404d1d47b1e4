#include "cost/event_runs.h"

namespace spillway {

std::vector<Run> runs_of(const Event& event) {
  switch (event.kind) {
    case EventKind::Forward:
      return {{event.stage, event.microbatch, Pass::Forward}};
    case EventKind::Backward:
      return {{event.stage, event.microbatch, Pass::Backward}};
    case EventKind::BackwardInput:
      return {{event.stage, event.microbatch, Pass::InputGradient}};
    case EventKind::BackwardWeight:
      return {{event.stage, event.microbatch, Pass::WeightGradient}};
    case EventKind::ForwardBackward:
      return {{event.stage, event.microbatch, Pass::Forward},
              {event.peer_stage, event.peer_microbatch, Pass::Backward}};
    default:
      return {};
  }
}

std::vector<Pass> gradients_in(Pass pass, Gradients gradients) {
  std::vector<Pass> computed;
  const bool whole = pass == Pass::Backward;
  if (pass == Pass::Forward) computed.push_back(pass);
  if ((whole || pass == Pass::InputGradient) && gradients.input) computed.push_back(Pass::InputGradient);
  if ((whole || pass == Pass::WeightGradient) && gradients.weight) computed.push_back(Pass::WeightGradient);
  return computed;
}

}  // namespace spillway
