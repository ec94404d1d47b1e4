// Orders from a file: CSV in PyTorch's form (schedule/action_list.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "derive/derive.h"
#include "experiment/experiment.h"
#include "json/file_memory.h"
#include "schedule/placed_orders.h"

namespace spillway {

struct OrderText {
  PlacedOrders orders;
  std::vector<std::uint32_t> layers;  // of each stage, where the text says so (schedule/stated_layers.h)
};

// Throws InputError with every violation, as "FILE: /<rank>/<slot>: expected ..., found ...": of the text or,
// where that is fine, of what check_action_lists asks.
OrderText read_order_file(const std::string& path, const Pipeline& pipeline, const Files& files = {});

// Orders from a text: what is wrong with it is thrown as InputError, without a file.
OrderText parse_order(const std::string& text, const Pipeline& pipeline);

// The experiment's whole model as one region in the order of this file, named after the file without its
// extension. Throws InputError likewise, also where the model does not fit the order.
ScheduleSpec listed_schedule(const Experiment& experiment, const std::string& path);

}  // namespace spillway
