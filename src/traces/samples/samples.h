// Single measurements to which parameters are fitted: messages and operators from any source.
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
  std::uint32_t devices;     // participants
  std::uint32_t neighbours;  // of them in one node; equal to devices inside a node
  std::string transport;     // "NVLink", "HCCS", ... as in the file; empty if it does not say
  Bytes size;                // as cost/network/collectives.h counts a collective's bytes
  Seconds time;
};

// Facts about messages that their file does not state.
struct TimedGroup {
  std::optional<CollectiveOperation> operation = {};
  std::optional<std::uint32_t> devices = {};
  std::optional<std::uint32_t> neighbours = {};  // of them in one node
};

// What says which devices of a message share a node. Each is weaker than the one before it.
enum class DevicePlacement {
  Stated,  // the file or the command line
  Hosts,   // the hosts that the file lists, which may be parts of a node
  Assumed  // nothing: all in one node
};

// The messages and operators of one file.
struct Samples {
  std::string format;              // "vidur", "nccl-tests", ...
  std::vector<std::string> files;  // read, in order
  std::string source;              // the file's own statement, or its name
  std::vector<MessageSample> messages;
  OperatorTables operators;  // each alone on a device, BF16
  std::vector<Note> notes;
  std::vector<std::string> tables = {};  // those of `files` that a platform file may name unchanged
  DevicePlacement placement = DevicePlacement::Stated;  // the weakest of all messages
};

}  // namespace spillway
