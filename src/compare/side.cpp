#include "compare/side.h"

#include "base/error.h"

namespace spillway {

std::string_view to_string(SideKind kind) {
  switch (kind) {
    case SideKind::Experiment:
      return "experiment";
    case SideKind::Report:
      return "report";
    case SideKind::Trace:
      return "trace";
  }
  throw ContractBreach("unknown kind of side");
}

std::string_view to_string(Decomposition decomposition) {
  switch (decomposition) {
    case Decomposition::CriticalPath:
      return "critical path";
    case Decomposition::Passes:
      return "passes";
    case Decomposition::Ranks:
      return "ranks";
  }
  throw ContractBreach("unknown decomposition");
}

Seconds Parts::of(std::string_view name) const {
  for (const Part& part : parts)
    if (part.name == name) return part.time;
  return {};
}

}  // namespace spillway
