// Reads orders from a file: CSV in PyTorch's form (schedule/action_list.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "derive/derive.h"
#include "experiment/experiment.h"
#include "json/file_memory.h"
#include "schedule/placed_orders.h"

namespace spillway {

struct OrderText {
  PlacedOrders orders;
  std::vector<std::uint32_t> layers;  // layers per stage, if the text states them (schedule/stated_layers.h)
  std::optional<StatedEncodes> encodes;  // if the text has passes of inputs (derive/listed_encodes.h)
};

// Throws InputError with every violation, as "FILE: /<rank>/<slot>: expected ..., found ...". Violations are
// those of the text, or if it has none, those of check_action_lists.
OrderText read_order_file(const std::string& path, const Pipeline& pipeline, const Files& files = {});

// Reads orders from a text. Throws InputError with every violation, without a file.
OrderText parse_order(const std::string& text, const Pipeline& pipeline);

// Returns a schedule with the experiment's whole model as one region in the order of this file. Its name is
// the file's without extension. Throws InputError likewise, also if the model does not fit the order.
ScheduleSpec listed_schedule(const Experiment& experiment, const std::string& path);

}  // namespace spillway
