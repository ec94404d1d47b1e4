// What points of a sweep share: orders by structure, draws by workload. For several threads.
#pragma once

#include "policy/prepared_order.h"
#include "workload/sample_cache.h"

namespace spillway {

struct Caches {
  OrderCache orders;
  SampleCache samples;
};

}  // namespace spillway
