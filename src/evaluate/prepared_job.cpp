#include "evaluate/prepared_job.h"

#include <utility>

#include "draws/fold.h"
#include "evaluate/balanced_reference.h"
#include "evaluate/host_memory.h"
#include "evaluate/memory_limit.h"
#include "evaluate/streamed_draws.h"

namespace spillway {

bool PreparedJob::streams(const ScheduleSpec& schedule) const {
  return is_streamed(experiment(), schedule, asked);
}

PreparedJob prepare(const Experiment& experiment, const Engines& engines) {
  DrawCosts costs(held_whole(experiment, engines));
  std::vector<WorkloadUse> workloads = held_to_losses(workload_uses(costs));
  OrderCache of_fits;  // its own, so that timed derivations do not come from the cache
  std::vector<FittedParameter> fitted = fit_parameters(costs, of_fits);
  const Experiment& folded = costs.experiment();
  std::vector<ScheduleSpec> references;
  if (engines.references) references = missing_references(folded);
  std::vector<StartedEngine> started = start(engines.run, folded);
  const std::uint32_t draws = different_draws(folded), equal = equal_replicas(folded);
  const std::optional<MemoryLimit> limit = memory_limit(folded);
  const bool in_bytes = states_memory(folded);
  return {.read = experiment,
          .asked = engines,
          .costs = std::move(costs),
          .workloads = std::move(workloads),
          .fitted = std::move(fitted),
          .references = std::move(references),
          .engines = std::move(started),
          .draws = draws,
          .equal_replicas = equal,
          .limit = limit,
          .states_memory = in_bytes};
}

}  // namespace spillway
