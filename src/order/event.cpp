#include "order/event.h"

#include "base/error.h"

namespace spillway {

std::string_view to_string(Comm comm) {
  switch (comm) {
    case Comm::Gather:
      return "Gather";
    case Comm::Scatter:
      return "Scatter";
    case Comm::Send:
      return "Send";
    case Comm::RecvGrad:
      return "RecvGrad";
  }
  throw ContractBreach("unknown collective");
}

std::string_view to_string(Group group) {
  return group == Group::ReplicaGroup ? "ReplicaGroup" : "DataGroup";
}

std::string_view to_string(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::Activation:
      return "Activation";
    case EdgeKind::Gradient:
      return "Gradient";
    case EdgeKind::Turnaround:
      return "Turnaround";
    case EdgeKind::Accumulate:
      return "Accumulate";
    case EdgeKind::Sequence:
      return "Sequence";
  }
  throw ContractBreach("unknown edge kind");
}

}  // namespace spillway
