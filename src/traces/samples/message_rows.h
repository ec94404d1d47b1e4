// Gathers message samples row by row and checks each. Also reads what a file states for all its rows.
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

// Returns true for a rate that some network has: from 10 MB/s (for sizes above a MiB) to 10 TB/s.
bool is_a_rate(Bytes size, Seconds time);

class MessageRows {
 public:
  // Adds refusals to `refused`, with the other errors of the file.
  explicit MessageRows(Findings& refused) : refused_(refused) {}

  // Refuses a size or time that is not positive, an invalid group, and an impossible rate. A rate is
  // impossible above 10 TB/s, or below 10 MB/s from a MiB on; a column in another unit gives such rates.
  void add(std::size_t line, const MessageSample& sample);

  // Throws InputError if anything was refused (Findings), or if there was no row.
  std::vector<MessageSample> take() &&;

 private:
  void refuse(std::size_t line, std::string expected, std::string found);

  Findings& refused_;
  std::vector<MessageSample> samples_;
};

// Values that are the same for every row of a file. Comment lines may state them: "# operation: all-reduce",
// "# devices: 16", "# neighbours: 8", "# transport: NVLink", "# source: ...".
struct MessageHeader {
  std::optional<CollectiveOperation> operation = {};
  std::optional<std::uint32_t> devices = {};
  std::optional<std::uint32_t> neighbours = {};
  std::string transport = {};
  std::string source = {};

  // Reads a comment, without its '#': one of the above, nccl-tests' "Collective test starting:
  // all_reduce_perf", or "2 nodes x 8x ..." after the program's name. Ignores other lines.
  void read_comment(std::string_view line);

  // Fills in the values that are still unknown.
  void complete(const TimedGroup& given);
};

// Finds the operation in the name of a program or file: "all_gather_perf", "alltoall", "ReduceScatter".
std::optional<CollectiveOperation> operation_in(std::string_view text);

// The folder and name of a file, or the name of a folder. It is short and the same on every machine.
std::string short_name(const std::string& path);
}  // namespace spillway
