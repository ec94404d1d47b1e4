#include "explain/gap_causes.h"

#include "explain/gap_kinds.h"

namespace spillway {

std::vector<GapCause> gap_causes(const Experiment& experiment, const Node& document, RankId busiest) {
  const GapJob job{experiment, document, busiest};
  GapCauses causes;
  add_software(job, causes);
  add_choices(job, causes);
  add_scales(job, causes);
  return causes;
}

}  // namespace spillway
