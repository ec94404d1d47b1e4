// How the devices of a pipeline rank and its replicas share a stage.
#pragma once

#include <cstdint>
#include <vector>

#include "base/error.h"

namespace spillway {

// Plain: gradients are all-reduced. Zero1: gradients are reduce-scattered, updated parameters all-gathered.
enum class DataParallel { Plain, Zero1 };

// Tensor, context and expert parallelism in devices; an expert is not split further.
struct Parallelism {
  std::uint32_t tensor = 1;   // with sequence parallelism
  std::uint32_t context = 1;  // only 1
  std::uint32_t expert = 1;   // consecutive devices of a stage's members x replicas
  DataParallel data = DataParallel::Plain;

  // Devices of one pipeline rank and replica.
  std::uint32_t members() const { return tensor * context; }
};

// How many consecutive replicas one expert-parallel group spans: 1 while it fits a rank's members.
// Contract: check_parallelism finds nothing.
std::uint32_t joined_replicas(const Parallelism& parallelism);

// Sizes that do not fit together; pointers are /parallel/tensor, /parallel/context, /parallel/expert.
std::vector<Violation> check_parallelism(const Parallelism& parallelism, std::uint32_t replicas);

}  // namespace spillway
