#include "cost/network/parallelism.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace spillway {
namespace {

constexpr std::uint32_t kMostMembers = 1U << 20;

Violation at(const char* pointer, std::string expected, std::uint32_t found) {
  return {"", pointer, std::move(expected), std::to_string(found)};
}

void check_expert(std::vector<Violation>& violations, const Parallelism& parallelism,
                  std::uint32_t replicas) {
  const std::uint32_t members = parallelism.members();
  const std::uint32_t expert = parallelism.expert_devices();
  const std::string what = parallelism.expert_tensor > 1 ? "with expert_tensor, " : "";
  if (expert <= members) {
    if (members % expert != 0) {
      violations.push_back(at("/parallel/expert",
                              what + "a divisor of the rank's " + std::to_string(members) + " devices",
                              expert));
    }
  } else if (expert % members != 0 || replicas % (expert / members) != 0) {
    violations.push_back(at("/parallel/expert",
                            what + "the rank's " + std::to_string(members) +
                                " devices times a divisor of the " + std::to_string(replicas) + " replicas",
                            expert));
  }
}

void check_dispatch(std::vector<Violation>& violations, const Parallelism& parallelism) {
  if (parallelism.expert_tensor > 1 && parallelism.dispatch == ExpertDispatch::PerNode)
    violations.push_back(
        {"", "/parallel/dispatch", "per-expert or all-gather, since experts are split", "per-node"});
  if (parallelism.fp8_dispatch && parallelism.dispatch == ExpertDispatch::AllGather)
    violations.push_back({"", "/parallel/fp8_dispatch", "false, since dispatch is all-gather", "true"});
}

// The busiest rank has at most every token.
void check_imbalance(std::vector<Violation>& violations, const Parallelism& parallelism) {
  const double imbalance = parallelism.expert_imbalance;
  const double most = std::max(1U, parallelism.expert);
  if (std::isfinite(imbalance) && imbalance >= 1 && imbalance <= most) return;
  std::ostringstream found;
  found << imbalance;
  violations.push_back({"", "/parallel/expert_imbalance",
                        "from 1 to the " + std::to_string(parallelism.expert) + " devices of an expert group",
                        found.str()});
}

void check_shards(std::vector<Violation>& violations, const Parallelism& parallelism,
                  std::uint32_t replicas) {
  const bool sharded = parallelism.data == DataParallel::Zero3;
  if (!sharded && !parallelism.reshard_after_forward)
    violations.push_back({"", "/parallel/reshard_after_forward", "true without data zero3", "false"});
  const std::uint32_t degree = parallelism.shard_degree;
  if (degree == 0) return;
  constexpr const char* kPointer = "/parallel/data_parallel_shard_degree";
  const std::uint64_t copies = std::uint64_t{replicas} * parallelism.context;
  if (!sharded)
    violations.push_back(at(kPointer, "no such key without data zero3", degree));
  else if (copies % degree != 0)
    violations.push_back(at(
        kPointer, "a divisor of the " + std::to_string(copies) + " copies, replicas times context", degree));
  else if (std::uint64_t{degree} * parallelism.tensor % parallelism.expert_devices() != 0)
    violations.push_back(at(kPointer,
                            "with tensor, a multiple of the " + std::to_string(parallelism.expert_devices()) +
                                " devices of an expert-parallel group",
                            degree));
}

}  // namespace

Parallelism Parallelism::of_encoder() const {
  Parallelism inside;
  inside.tensor = encoder_tensor();
  inside.sequence_parallel = false;
  inside.tensor_overlap = tensor_overlap;
  inside.data = data == DataParallel::Plain ? data : DataParallel::Zero1;
  return inside;
}

std::uint32_t joined_replicas(const Parallelism& parallelism) {
  return std::max(1U, parallelism.expert_devices() / parallelism.members());
}

std::vector<Violation> check_parallelism(const Parallelism& parallelism, std::uint32_t replicas) {
  std::vector<Violation> violations;
  if (parallelism.tensor == 0) violations.push_back(at("/parallel/tensor", "at least 1", 0));
  if (parallelism.expert == 0) violations.push_back(at("/parallel/expert", "at least 1", 0));
  if (parallelism.expert_tensor == 0 || std::uint64_t{parallelism.expert} * parallelism.expert_tensor >
                                            std::numeric_limits<std::uint32_t>::max())
    violations.push_back(at("/parallel/expert_tensor", "from 1, in groups of fewer than 2^32 devices",
                            parallelism.expert_tensor));
  if (parallelism.context == 0) violations.push_back(at("/parallel/context", "at least 1", 0));
  if (std::uint64_t{parallelism.tensor} * parallelism.context > kMostMembers) {
    violations.push_back(at("/parallel/context",
                            "at most " + std::to_string(kMostMembers) + " devices of a rank with tensor " +
                                std::to_string(parallelism.tensor),
                            parallelism.context));
  }
  check_imbalance(violations, parallelism);
  check_dispatch(violations, parallelism);
  if (parallelism.tensor > 1 && parallelism.expert_devices() > 1 && !parallelism.sequence_parallel) {
    violations.push_back(
        {"", "/parallel/sequence_parallel",
         "true, since experts and tensors are both split and each member dispatches its own tokens",
         "false"});
  }
  if (violations.empty()) check_expert(violations, parallelism, replicas);
  if (violations.empty()) check_shards(violations, parallelism, replicas);
  return violations;
}

}  // namespace spillway
