#include "spec/experiment/part_check.h"

#include "experiment/costs.h"

namespace spillway {

void check_parts(const Place& place, const Experiment& experiment) {
  for (std::size_t i = 0; i < experiment.schedules.size(); ++i) {
    const std::uint32_t parts = experiment.schedules[i].segments.parts;
    for (const PlacedWorkload& workload : workloads(experiment)) {
      const std::uint32_t samples = workload.spec.samples_per_microbatch;
      if (workload.spec.packing != Packing::Unpacked || samples % parts == 0) continue;
      place.findings->add("/schedules/" + std::to_string(i) + "/sub_microbatches",
                          "a number that divides the " + std::to_string(samples) + " samples of a microbatch",
                          std::to_string(parts));
    }
  }
}

}  // namespace spillway
