// Reads communication.json and communication_matrix.json of an Ascend profiler: the collectives and messages
// of one device. Private to src/traces.
//
//   {"step13": {"p2p": {"hcom_batchSendRecv__128_4_1@3985310405473756128": {
//      "Communication Time Info": {"Start Timestamp(us)": ..., "Elapse Time(ms)": 158.55, ...},
//      "Communication Bandwidth Info": {"HCCS": {"Transit Size(MB)": 8.388608, "Transit Time(ms)": 0.40168,
//                                                "Size Distribution": {"8.388608": [1, 0.40168]}}, ...}}},
//    "collective": {...}}}
//
// A transit is data that came over a link into this device. A batched send and receive has a transit if the
// device receives, and none if it only sends. Megabytes are 10^6 bytes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/quantity.h"

namespace spillway {

// `count` messages of one size over one transport, with their total time.
struct AscendTransit {
  std::string transport;  // "HCCS", "RDMA", "PCIE", "SIO"
  double count;
  Bytes size;
  Seconds time;
};

struct AscendOperation {
  std::string step;  // "13"; empty if the file has no steps
  std::string name;  // "hcom_batchSendRecv__128_4_1"
  std::string group;
  bool point_to_point;
  std::int64_t start_ns;
  Seconds elapsed;  // includes waiting for the others
  std::vector<AscendTransit> transits;
};

// "batchSendRecv" of "hcom_batchSendRecv__128_4_1". Empty if the name has another form.
std::string_view ascend_operation_kind(std::string_view name);

// Returns the operations by step, then in the file's order. Sums over operations are left out. Throws
// InputError if the file is not JSON (the error names the byte) or has another form (it names the pointer).
std::vector<AscendOperation> read_ascend_communication(const std::string& path);

// The number of devices in each group that a communication matrix shows: one more than the greatest number in
// its "0-1" links. Throws as above.
std::map<std::string, std::uint32_t> read_ascend_groups(const std::string& path);

}  // namespace spillway
