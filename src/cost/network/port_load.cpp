#include "cost/network/port_load.h"

#include <algorithm>

namespace spillway {

double port_share(const Platform& platform, CollectiveOperation operation, const Devices& devices,
                  AddedUp added_up) {
  using enum CollectiveOperation;
  ensure(devices.size() > 1, "a collective loads no port of a device alone");
  const double all = static_cast<double>(devices.size());
  const double part = static_cast<double>(ring_count(by_inner_group(platform, devices)));
  const double outside = (all - part) / all;
  switch (operation) {
    case AllGather:
    case ReduceScatter:
      return outside / part;
    case AllReduce:
      return (added_up == AddedUp::ByDevices ? 2 * outside : std::min(1.0, 2 * outside)) / part;
    case AllToAll:
      return outside;
    case SendRecv:
      return 1;
  }
  throw ContractBreach("unknown collective operation");
}

}  // namespace spillway
