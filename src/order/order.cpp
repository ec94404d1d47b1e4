#include "order/order.h"

namespace spillway {

std::vector<Edge> Order::edges() const {
  std::vector<Edge> all;
  all.reserve(edge_count());
  for (std::uint32_t event = 0; event < event_count(); ++event)
    for (const std::uint32_t to : successors(EventId(event)))
      all.push_back({EventId(event), EventId(to), kinds_[all.size()]});
  return all;
}

}  // namespace spillway
