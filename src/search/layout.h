// How a job may lie on a cluster.
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
  std::uint32_t microbatches;  // of each replica
  std::uint32_t microbatch;    // sequences or samples of one
  Recompute recompute;         // of every block that does not state its own
  DataParallel data;
  std::size_t schedule;  // of JobSearch::schedules

  friend auto operator<=>(const PlanLayout&, const PlanLayout&) = default;
};

// The most layouts that are looked at; a larger job is to be narrowed.
inline constexpr std::size_t kMostLayouts = 4'000'000;

// Before stages are planned; nothing where there is no default cut, or the system refuses the pipeline.
std::optional<ScheduleSpec> schedule_of(const ScheduleChoice& choice, const Model& model,
                                        const Pipeline& pipeline);

// Every layout that an experiment could have, cluster by cluster. Throws InputError where there are more than
// kMostLayouts.
std::vector<PlanLayout> legal_layouts(const PlanJob& job);

// Contract: the layout is one of legal_layouts(job).
Experiment experiment_of(const PlanJob& job, const PlanLayout& layout);

// With so many microbatches, of one replica that stands for all where none computes together with others;
// devices are where they are.
Experiment of_one_replica(Experiment experiment, std::uint32_t microbatches);

// An experiment as a document, of the job's and a cluster's parts of it.
Node experiment_document(const Object& job, const Object& cluster, const PlanLayout& layout,
                         const ScheduleChoice& schedule);

// As a document that `spillway run` takes, its paths absolute, with the layers of the stages as `schedule`
// has them: JSON text.
std::string experiment_text(const PlanJob& job, const PlanLayout& layout, const ScheduleSpec& schedule);

}  // namespace spillway
