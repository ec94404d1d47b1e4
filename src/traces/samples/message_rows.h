// Message samples gathered row by row, each checked; and what a file says of all its rows together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/findings.h"
#include "traces/samples/samples.h"

namespace spillway {

// Of some network: from 10 MB/s (above a MiB) to 10 TB/s.
bool is_a_rate(Bytes size, Seconds time);

class MessageRows {
 public:
  // What is refused goes to `refused`, which has what else is wrong with the file.
  explicit MessageRows(Findings& refused) : refused_(refused) {}

  // Refuses a size or time that is not positive, a group that is none, and a rate that no machine has: above
  // 10 TB/s, or below 10 MB/s from a MiB on, which a column in another unit gives.
  void add(std::size_t line, const MessageSample& sample);

  // Throws InputError where anything was refused (Findings), or where there was no row.
  std::vector<MessageSample> take() &&;

 private:
  void refuse(std::size_t line, std::string expected, std::string found);

  Findings& refused_;
  std::vector<MessageSample> samples_;
};

// What is the same for every row of a file. Comment lines may say it: "# operation: all-reduce",
// "# devices: 16", "# neighbours: 8", "# transport: NVLink", "# source: ...".
struct MessageHeader {
  std::optional<CollectiveOperation> operation = {};
  std::optional<std::uint32_t> devices = {};
  std::optional<std::uint32_t> neighbours = {};
  std::string transport = {};
  std::string source = {};

  // `line` without its '#'. Reads one of the above, nccl-tests' "Collective test starting: all_reduce_perf",
  // or "2 nodes x 8x ..." with the program's name before it; other lines say nothing.
  void read_comment(std::string_view line);

  // What is not known yet.
  void complete(const TimedGroup& given);
};

// From a program's name or a file's: "all_gather_perf", "alltoall", "ReduceScatter".
std::optional<CollectiveOperation> operation_in(std::string_view text);

// The folder and name of a file, the name alone of a folder: short, and the same on every machine.
std::string short_name(const std::string& path);
}  // namespace spillway
