// The rules of a legal layout, asked of one layout at a time. legal_layouts() lists exactly the layouts that
// break none (layout_rules_test).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "search/layout.h"

namespace spillway {

// `key` is the layout's value in question: "P", "TP", "CP", "EP", "R", "M", "mb", "devices", "schedule",
// "recompute" or "data".
struct BrokenRule {
  std::string key;
  std::string expected;
  std::string found;

  friend bool operator==(const BrokenRule&, const BrokenRule&) = default;
};

// "TP: expected ..., found ..."
std::string to_string(const BrokenRule& rule);

// The devices that a layout may take: a number that the job offers, or as many as the platform has.
enum class DevicesFrom : std::uint8_t { Job, Platform };

// Returns every rule that the layout breaks, whatever values the job's search lists. Contract: its cluster
// and its schedule are the job's.
std::vector<BrokenRule> broken_rules(const PlanJob& job, const PlanLayout& layout,
                                     DevicesFrom devices = DevicesFrom::Job);

// Returns the values of the layout that a list of /search leaves out, or that the search leaves out by sense
// (sense.h).
std::vector<BrokenRule> unlisted_values(const PlanJob& job, const PlanLayout& layout);

// Returns the first schedule of the search that is the layout's schedule on its pipeline: the layout's own,
// or an earlier one in whose name it is planned. Contract: broken_rules() is empty.
std::size_t planned_schedule(const PlanJob& job, const PlanLayout& layout);

// Returns true unless the schedule is searched only with even stages, and this number of ranks has none.
// Stages are even if they have as many layers each, where Megatron-LM may count the embedding and the loss as
// a layer each (--account-for-embedding-in-pipeline-split, --account-for-loss-in-pipeline-split).
bool has_wanted_stages(const ScheduleChoice& choice, const Model& model, std::uint32_t ranks);

// Returns true if no microbatch of the workload may have so many sequences or samples.
bool is_too_long(const WorkloadSpec& workload, std::uint64_t microbatch);

}  // namespace spillway
