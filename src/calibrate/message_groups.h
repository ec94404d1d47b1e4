// Message samples sorted by where they lie on a platform. Private to src/calibrate.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "calibrate/alpha_beta.h"
#include "cost/network/device_group.h"
#include "traces/samples/samples.h"

namespace spillway {

// What one curve of times by size belongs to. `inner` of the devices lie in each group of the tier before.
struct MessageGroup {
  std::size_t tier;
  CollectiveOperation operation;
  std::uint32_t devices;
  std::uint32_t inner;
  DeviceGroup where;

  std::tuple<std::size_t, CollectiveOperation, std::uint32_t, std::uint32_t> key() const {
    return {tier, operation, devices, inner};
  }
  friend bool operator<(const MessageGroup& a, const MessageGroup& b) { return a.key() < b.key(); }
};

// "all-reduce, 8 devices of node"; "all-reduce, 16 devices of cluster, 8 each".
std::string name_of(const Platform& platform, const MessageGroup& group);

struct GroupedMessages {
  SizedTimes points;    // of a size that was measured several times, the median
  std::string sources;  // of them, each once
};

// Devices that share a node lie in one group of the tier of that name (the first where none is so called),
// the others on the next nodes. Samples whose group the platform cannot hold are dropped; notes say which,
// and where sizes were measured several times.
std::map<MessageGroup, GroupedMessages> grouped(const Platform& platform, const std::vector<Samples>& all,
                                                std::vector<Note>& notes);

}  // namespace spillway
