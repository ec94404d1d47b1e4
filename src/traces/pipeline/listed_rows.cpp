#include "traces/pipeline/listed_rows.h"

#include "base/text.h"

namespace spillway {

std::vector<std::string> listed_rows(const PlacedOrders& placed) {
  std::vector<std::string> rows;
  for (const ActionRow& actions : to_action_lists(placed).rows) {
    std::string& row = rows.emplace_back();
    for (const auto& action : actions) add_to_list(row, to_string(*action), ",");
  }
  return rows;
}

}  // namespace spillway
