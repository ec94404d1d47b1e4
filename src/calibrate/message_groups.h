// Groups message samples by their place on a platform. Private to src/calibrate.
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

// The group of devices of one curve of times by size. `inner` of the devices are in each group of the
// previous tier.
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
  SizedTimes points;    // for repeated sizes, the median
  std::string sources;  // of the points, each once
};

// Devices that share a node are in one group of the tier named "node" (the first tier if there is none). The
// others are on the next nodes. Samples whose group the platform cannot hold are dropped. Notes say which,
// and that some sizes were measured several times.
std::map<MessageGroup, GroupedMessages> grouped(const Platform& platform, const std::vector<Samples>& all,
                                                std::vector<Note>& notes);

}  // namespace spillway
