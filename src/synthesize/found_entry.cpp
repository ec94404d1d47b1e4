#include "synthesize/found_entry.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "json/dumped.h"
#include "schedule/placed_orders.h"

namespace spillway {
namespace {

// Lines of a list, one for each rank: "0E0,0F0,0F1,0B0,0B1,0G0".
std::vector<std::string> rows_of(const ScheduleSpec& listed) {
  std::string text = to_string(to_action_lists(**listed.schedule.skeletons.back().listed));
  if (listed.encodes) text = with_encodes(text, *listed.encodes);
  std::vector<std::string> rows;
  for (std::size_t first = 0; first < text.size();) {
    const std::size_t end = text.find('\n', first);
    rows.push_back(text.substr(first, end - first));
    first = end + 1;
  }
  return rows;
}

}  // namespace

std::string listed_entry(const ScheduleSpec& listed) {
  nlohmann::ordered_json entry = {{"name", listed.name}, {"schedule", to_string(listed.schedule)}};
  if (!listed.cut.boundaries.empty()) entry["cut"] = listed.cut.boundaries;
  entry["layers_per_rank"] = listed.layers_per_rank;
  entry["actions"] = rows_of(listed);
  return dumped(entry, 2);
}

}  // namespace spillway
