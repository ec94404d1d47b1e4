// Placement and collectives -> the order graph. Private to src/derive.
#pragma once

#include <variant>

#include "derive/plan.h"

namespace spillway {

// The order, or, were the sequences wrong, events that wait for each other.
std::variant<Order, Cycle> assemble_order(const Plan& plan);

}  // namespace spillway
