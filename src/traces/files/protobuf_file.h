// A file of Protocol Buffers messages, each after its length as a varint
// (https://protobuf.dev/programming-guides/techniques/#streaming). Private to src/traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "json/byte_source.h"

namespace spillway {

// Takes a varint off the front; nothing where there is none.
std::optional<std::uint64_t> take_varint(std::string_view& bytes);

// One message in memory at a time.
class ProtobufFile {
 public:
  explicit ProtobufFile(const std::string& path) : bytes_(path) {}

  // A view until the next call; nothing at the end of the file. Throws InputError where the file ends in the
  // middle, or a message is longer than 64 MiB.
  std::optional<std::string_view> next();

 private:
  bool fill(std::size_t most);

  ByteSource bytes_;
  std::string buffer_ = {};
  std::size_t begin_ = 0;
};

}  // namespace spillway
