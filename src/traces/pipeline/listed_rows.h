// A trace's own order in PyTorch's form, for an experiment that runs it as it was.
#pragma once

#include <string>
#include <vector>

#include "schedule/placed_orders.h"

namespace spillway {

// One text per rank, such as "0F0,0F1,0B0,0B1" (schedule/action_list.h).
std::vector<std::string> listed_rows(const PlacedOrders& placed);

}  // namespace spillway
