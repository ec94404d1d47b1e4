// What an order follows from, as bytes. Private to src/policy.
#pragma once

#include <string>

#include "derive/derive.h"

namespace spillway {

// Everything that derive() reads, listed orders by content: equal keys, equal orders. Of this process alone.
std::string order_key(const Model& model, const Schedule& schedule, const Cut& cut,
                      const DeriveOptions& options);

}  // namespace spillway
