// The layouts of a job on its clusters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiment/experiment.h"
#include "json/node.h"
#include "search/job.h"

namespace spillway {

struct PlanLayout {
  std::size_t cluster;
  std::uint32_t devices;  // ranks x tensor x context x replicas
  std::uint32_t ranks;
  std::uint32_t tensor;
  std::uint32_t context;
  std::uint32_t expert;
  std::uint32_t replicas;
  std::uint32_t microbatches;  // in each replica
  std::uint32_t microbatch;    // sequences or samples in one
  Recompute recompute;         // for blocks that do not state their own
  DataParallel data;
  std::size_t schedule;  // index in JobSearch::schedules

  friend auto operator<=>(const PlanLayout&, const PlanLayout&) = default;
};

// The largest number of layouts. A job with more must be narrowed.
inline constexpr std::size_t kMostLayouts = 4'000'000;

// Returns the schedule before its stages are planned. Returns nothing if there is no default cut, or if the
// system refuses the pipeline.
std::optional<ScheduleSpec> schedule_of(const ScheduleChoice& choice, const Model& model,
                                        const Pipeline& pipeline);

// Returns every layout that an experiment could have, cluster by cluster. Throws InputError, which names a
// list of the search and the values to which it can be narrowed, if there are more than `most`.
std::vector<PlanLayout> legal_layouts(const PlanJob& job, std::size_t most = kMostLayouts);

// Contract: the layout is one of legal_layouts(job).
Experiment experiment_of(const PlanJob& job, const PlanLayout& layout);

// Returns the experiment with this many microbatches. If no replica computes together with others, one
// replica stands for all. Devices keep their places.
Experiment of_one_replica(Experiment experiment, std::uint32_t microbatches);

// Returns an experiment as a document, from the job's and the cluster's parts of it.
Node experiment_document(const Object& job, const Object& cluster, const PlanLayout& layout,
                         const ScheduleChoice& schedule);

// Returns JSON text that `spillway run` takes. Its paths are absolute, and its stages have the layers of
// `schedule`.
std::string experiment_text(const PlanJob& job, const PlanLayout& layout, const ScheduleSpec& schedule);

}  // namespace spillway
