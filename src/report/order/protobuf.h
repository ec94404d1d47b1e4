// Protocol Buffers messages as bytes, as far as chakra.h needs them: numbers as varints, texts and messages
// after their length (https://protobuf.dev/programming-guides/encoding).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

namespace spillway {

class ProtobufMessage {
 public:
  // An int32, int64, uint32, uint64, bool or enum. Contract: no negative one.
  void add_number(std::uint32_t field, std::uint64_t value);
  void add_text(std::uint32_t field, std::string_view text);
  void add_message(std::uint32_t field, const ProtobufMessage& message) { add_text(field, message.bytes_); }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// The message after its length.
void write_delimited(std::ostream& out, const ProtobufMessage& message);

}  // namespace spillway
