// Raw sweeps of collectives below the folder that SPILLWAY_MEASURED_DATA names: microsoft/vidur at 7d475133,
// ai-dynamo/aiconfigurator at 095f58a5, NVIDIA/nccl-tests on Google's a3-mega. A result is empty if its file
// is not there.
#pragma once

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "platform/platform.h"

namespace spillway::testing {

using SweepPoints = std::map<double, Seconds>;  // by bytes

inline std::vector<std::string> comma_separated(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream text(line);
  for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
  return fields;
}

// Returns median times; `folder` is a100_dgx or h100_dgx, `what` is all_reduce or send_recv.
inline SweepPoints vidur_sweep(const std::string& data, const std::string& folder, const std::string& what,
                               std::uint32_t devices, std::uint32_t on_a_node) {
  std::ifstream file(data + "/comm/vidur/" + folder + "/" + what + ".csv");
  std::string line;
  std::getline(file, line);
  std::map<std::string, std::size_t> column;
  for (const std::string& name : comma_separated(line)) column.emplace(name, column.size());
  SweepPoints points;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = comma_separated(line);
    const auto number = [&](const std::string& name) { return std::stod(fields.at(column.at(name))); };
    if (number("num_workers") != devices || number("devices_per_node") != on_a_node) continue;
    points[number("size")] = milliseconds(number("time_stats." + what + ".median"));
  }
  return points;
}

struct NcclRow {
  CollectiveOperation operation;
  std::uint32_t devices;
  Bytes bytes;
  Seconds time;
};

inline CollectiveOperation nccl_operation(const std::string& word) {
  if (word == "all_gather") return CollectiveOperation::AllGather;
  if (word == "reduce_scatter") return CollectiveOperation::ReduceScatter;
  return word == "alltoall" ? CollectiveOperation::AllToAll : CollectiveOperation::AllReduce;
}

// Reads aiconfigurator's rows; `file` has no __nccl_perf.csv. Values are 16-bit floats; a size is in elements
// of the vector.
inline std::vector<NcclRow> nccl_rows(const std::string& data, const std::string& name) {
  std::ifstream file(data + "/comm/aiconfigurator/" + name + "__nccl_perf.csv");
  std::vector<NcclRow> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = comma_separated(line);
    const std::size_t last =
        fields.size() - 1;  // op_name, kernel_source, nccl_dtype, num_gpus, size, latency
    if (fields.at(last - 3) != "half") continue;
    rows.push_back({nccl_operation(fields.at(last - 5)),
                    static_cast<std::uint32_t>(std::stoul(fields.at(last - 2))),
                    Bytes(2 * std::stod(fields.at(last - 1))), milliseconds(std::stod(fields.at(last)))});
  }
  return rows;
}

}  // namespace spillway::testing
