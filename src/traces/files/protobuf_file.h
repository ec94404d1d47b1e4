// Reads a file of Protocol Buffers messages. A varint before each message gives its length
// (https://protobuf.dev/programming-guides/techniques/#streaming). Private to src/traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "json/byte_source.h"

namespace spillway {

// Removes a varint from the front and returns it. Returns nothing if there is none.
std::optional<std::uint64_t> take_varint(std::string_view& bytes);

// Holds one message in memory at a time.
class ProtobufFile {
 public:
  explicit ProtobufFile(const std::string& path) : bytes_(path) {}

  // Returns the next message, or nothing at the end of the file. The view holds until the next call. Throws
  // InputError if the file ends inside a message, or a message is longer than 64 MiB.
  std::optional<std::string_view> next();

 private:
  bool fill(std::size_t most);

  ByteSource bytes_;
  std::string buffer_ = {};
  std::size_t begin_ = 0;
};

}  // namespace spillway
