#include "report/order/protobuf.h"

#include <ostream>

namespace spillway {
namespace {

enum WireType : std::uint32_t { kVarint = 0, kDelimited = 2 };

// Seven bits a byte, the lowest first; the eighth says that another follows.
void append_varint(std::uint64_t value, std::string& bytes) {
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7F) | 0x80);
  bytes += static_cast<char>(value);
}

}  // namespace

void ProtobufMessage::add_number(std::uint32_t field, std::uint64_t value) {
  append_varint(field << 3 | kVarint, bytes_);
  append_varint(value, bytes_);
}

void ProtobufMessage::add_text(std::uint32_t field, std::string_view text) {
  append_varint(field << 3 | kDelimited, bytes_);
  append_varint(text.size(), bytes_);
  bytes_ += text;
}

void write_delimited(std::ostream& out, const ProtobufMessage& message) {
  std::string length;
  append_varint(message.bytes().size(), length);
  out << length << message.bytes();
}

}  // namespace spillway
