#include "cli/stored_sweep.h"

namespace spillway {

SweepHeading heading_of(const ResultStore& store) {
  const StoreHeading& heading = store.heading();
  return {.name = heading.sweep,
          .identity = heading.identity,
          .program = heading.program,
          .draws = heading.draws,
          .seed = heading.seed,
          .reports_replays = heading.reports_replays,
          .axes = heading.axes};
}

}  // namespace spillway
