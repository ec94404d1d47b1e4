#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "evaluate/workload_use.h"
#include "law_list.h"

namespace spillway::testing {
namespace {

using Json = nlohmann::ordered_json;

// Returns the workloads with a fixed number of samples, so that a limit changes only what is dropped.
std::vector<Json*> unpacked_workloads(Json& document) {
  std::vector<Json*> all;
  if (document.contains("workload")) all.push_back(&document["workload"]);
  for (Json& block : document["model"]["blocks"])
    if (block.contains("image_work")) all.push_back(&block["image_work"]);
  std::erase_if(all, [](const Json* workload) { return !workload->contains("samples_per_microbatch"); });
  return all;
}

std::vector<WorkloadUse> uses_of(const Json& document) {
  return workload_uses(DrawCosts(experiment_of(document.dump())));
}

}  // namespace

Verdict images_are_encoded_or_counted(const Case& one) {
  Json document = Json::parse(one.job().document);
  const std::vector<Json*> workloads = unpacked_workloads(document);
  if (workloads.empty()) return kSaysNothing;
  for (Json* workload : workloads) workload->erase("max_patches");
  const std::vector<WorkloadUse> all = uses_of(document);
  for (Json* workload : workloads) (*workload)["max_patches"] = 3000;
  const std::vector<WorkloadUse> limited = uses_of(document);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const WorkloadTally without = all[i].all(), with = limited[i].all();
    const std::string where = all[i].pointer + ": ";
    if (without.dropped_images > 0)
      return broken(where + std::to_string(without.dropped_images) + " images dropped without a limit");
    if (with.images + with.dropped_images != without.images)
      return broken(where + std::to_string(with.images) + " encoded and " +
                    std::to_string(with.dropped_images) + " dropped of " + std::to_string(without.images));
  }
  return kHolds;
}

// The texts fill their sequence, and the framework leaves them apart.
Verdict documents_are_sequences(const Case& one) {
  Json document = Json::parse(one.job().document);
  if (one.job().document.find("planning_ms") != std::string::npos)
    return kSaysNothing;  // sizes are planned for
  if (!document.contains("workload") || !document["workload"].contains("sequences_per_microbatch") ||
      (document.contains("framework") && !document["framework"].is_object()))
    return kSaysNothing;
  if (document.contains("framework")) document["framework"].erase("attends_across_documents");
  Json& workload = document["workload"];
  const auto length = workload["sequence_tokens"].get<std::uint32_t>(),
             sequences = workload["sequences_per_microbatch"].get<std::uint32_t>();
  workload = {{"packing", "packed"},
              {"text_only_share", 1},
              {"text_tokens", length},
              {"sequence_tokens", length * sequences}};
  const PointOutcome packed = outcome_of(experiment_of(document.dump()));
  const double flops = one.outcome().accounts.front().model_flops.value();
  if (std::abs(packed.accounts.front().model_flops.value() - flops) > 1e-9 * flops)
    return broken("model FLOPs of packed texts " +
                  std::to_string(packed.accounts.front().model_flops.value()) + ", of sequences " +
                  std::to_string(flops));
  return same_makespans(one.outcome(), packed, Held::ToRounding);
}

}  // namespace spillway::testing
