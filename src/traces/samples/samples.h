// Single measurements that parameters are fitted to: messages and operators, whoever measured them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "platform/measured_operators.h"
#include "platform/platform.h"
#include "traces/files/note.h"

namespace spillway {

// One collective, or one message, of one size.
struct MessageSample {
  CollectiveOperation operation;
  std::uint32_t devices;     // that take part
  std::uint32_t neighbours;  // of them in one node; equal to devices inside a node
  std::string transport;     // "NVLink", "HCCS", ...: what the file says; empty where it does not
  Bytes size;                // as cost/network/collectives.h counts a collective's bytes
  Seconds time;
};

// What is known of messages whose file does not say it of itself.
struct TimedGroup {
  std::optional<CollectiveOperation> operation = {};
  std::optional<std::uint32_t> devices = {};
  std::optional<std::uint32_t> neighbours = {};  // of them in one node
};

// What one file holds of either.
struct Samples {
  std::string format;              // "vidur", "nccl-tests", ...
  std::vector<std::string> files;  // read, in order
  std::string source;              // what the file says of itself, or its name
  std::vector<MessageSample> messages;
  OperatorTables operators;  // each alone on a device, BF16
  std::vector<Note> notes;
  std::vector<std::string> tables = {};  // of `files` those that a platform file may name as they are
};

}  // namespace spillway
