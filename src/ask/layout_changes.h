// Changes of one thing in a layout. The number of devices and the batch stay, so replicas follow from ranks,
// tensor and context, and microbatches from replicas.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "search/layout.h"

namespace spillway {

// What the host keeps, beside what the job states.
enum class HostKeeps : std::uint8_t { AsStated, OptimizerStates, Activations };

struct LayoutChange {
  std::string key;       // "TP", "recompute", "offload", ...
  std::string from, to;  // its value in the layout, and the changed one
  PlanLayout layout;     // the changed layout
  HostKeeps host = HostKeeps::AsStated;
  bool more_devices = false;  // it takes devices that the job does not offer
};

// "TP 8 instead of 4"
std::string to_string(const LayoutChange& change);

// Returns the changes that make `from` more like `to`, one thing at a time: devices (of another cluster with
// the framework of `to`), framework (on the same cluster), P, TP, CP, EP, mb, recompute, data and schedule.
// `planned` is from's schedule with stages that the job plans, for other
// numbers of ranks.
std::vector<LayoutChange> changes_towards(const PlanJob& job, const PlanLayout& from, const PlanLayout& to,
                                          std::size_t planned);

// Returns the changes that may save memory, one thing at a time: more recomputation, states sharded further,
// half the microbatch, twice the ranks, tensor, context or expert devices (with half the replicas, or else
// twice the devices), offloading to the host, and each other framework of the cluster. Some are no legal
// layouts.
std::vector<LayoutChange> changes_that_may_save(const PlanJob& job, const PlanLayout& from,
                                                std::size_t planned);

}  // namespace spillway
