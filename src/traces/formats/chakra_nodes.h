// Reads one file of an execution trace of MLCommons Chakra: a GlobalMetadata, then nodes, each after its
// length (https://github.com/mlcommons/chakra at 21585d8, schema/protobuf/et_def.proto). Private to
// src/traces.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

enum class ChakraType : std::uint8_t { Invalid, Metadata, Load, Store, Compute, Send, Receive, Collective };

// The attributes that are read. The first six are in the order of kOwnArguments.
enum class ChakraAttribute : std::uint8_t {
  Replica,
  Rank,
  Microbatch,
  Stage,
  ToStage,
  ToRank,
  DurationNs,
  IsCpuOp,
  Source,
  Destination,
  Tag,
  Group,
  RecordFunction
};
inline constexpr std::size_t kChakraAttributes = 13;

struct ChakraNode {
  std::uint64_t id = 0;
  std::string name = {};
  ChakraType type = ChakraType::Invalid;
  std::vector<std::uint64_t> needs = {};    // ids in the same file that are done before it
  std::vector<std::uint64_t> callers = {};  // ids of what launched it, where control dependencies nest
  std::optional<double> start_us = {};      // absent if the file says 0
  double duration_ns = 0;
  std::array<std::string, kChakraAttributes> attributes = {};  // as text; empty if absent

  const std::string& at(ChakraAttribute attribute) const {
    return attributes[static_cast<std::size_t>(attribute)];
  }
};

// Returns true if a file that begins with these bytes looks like an execution trace.
bool begins_chakra(std::string_view bytes);

// Control dependencies are an order, as data dependencies are, except in what Chakra's converter made of a
// PyTorch job (a node states its record function, "rf_id"). There they are the call stack: an operator lies
// in its caller, which may end after it, and only data dependencies are an order, as Chakra's own feeder has
// it. Throws InputError if a message is broken; the error names its number.
std::vector<ChakraNode> read_chakra_nodes(const std::string& path);

}  // namespace spillway
