#include "cost/parallelism.h"

#include <algorithm>

namespace spillway {
namespace {

Violation at(const char* pointer, std::string expected, std::uint32_t found) {
  return {"", pointer, std::move(expected), std::to_string(found)};
}

void check_expert(std::vector<Violation>& violations, const Parallelism& parallelism,
                  std::uint32_t replicas) {
  const std::uint32_t members = parallelism.members();
  const std::uint32_t expert = parallelism.expert;
  if (expert <= members) {
    if (members % expert != 0) {
      violations.push_back(
          at("/parallel/expert", "a divisor of the rank's " + std::to_string(members) + " devices", expert));
    }
  } else if (expert % members != 0 || replicas % (expert / members) != 0) {
    violations.push_back(at("/parallel/expert",
                            "the rank's " + std::to_string(members) + " devices times a divisor of the " +
                                std::to_string(replicas) + " replicas",
                            expert));
  }
}

}  // namespace

std::uint32_t joined_replicas(const Parallelism& parallelism) {
  return std::max(1U, parallelism.expert / parallelism.members());
}

std::vector<Violation> check_parallelism(const Parallelism& parallelism, std::uint32_t replicas) {
  std::vector<Violation> violations;
  if (parallelism.tensor == 0) violations.push_back(at("/parallel/tensor", "at least 1", 0));
  if (parallelism.expert == 0) violations.push_back(at("/parallel/expert", "at least 1", 0));
  if (parallelism.context != 1) {
    violations.push_back(
        at("/parallel/context", "1 (context parallelism is not priced)", parallelism.context));
  }
  if (violations.empty()) check_expert(violations, parallelism, replicas);
  return violations;
}

}  // namespace spillway
