// Protocol Buffers messages field by field, without their schema
// (https://protobuf.dev/programming-guides/encoding). Private to src/traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/byte_source.h"

namespace spillway {

struct ProtobufField {
  std::uint32_t number;
  std::optional<std::uint64_t> value;  // of a varint or a fixed width; none for bytes
  std::string_view bytes;              // a text, a message, packed numbers
};

// Takes a varint off the front; nothing where there is none.
std::optional<std::uint64_t> take_varint(std::string_view& bytes);

class ProtobufFields {
 public:
  explicit ProtobufFields(std::string_view message) : rest_(message) {}

  // Nothing at the end, and where the message is broken.
  std::optional<ProtobufField> next();
  bool broken() const { return broken_; }

 private:
  std::string_view rest_;
  bool broken_ = false;
};

// A file of messages, each after its length as a varint, one in memory at a time.
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
