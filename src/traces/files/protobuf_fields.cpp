#include "traces/files/protobuf_fields.h"

#include <algorithm>

#include "base/error.h"

namespace spillway {
namespace {

enum WireType : std::uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
constexpr std::size_t kLongestVarint = 10;
constexpr std::size_t kLongestMessage = std::size_t{64} << 20;
constexpr std::size_t kBlock = std::size_t{1} << 20;

std::optional<std::uint64_t> take_fixed(std::string_view& bytes, std::size_t width) {
  if (bytes.size() < width) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i)
    value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  bytes.remove_prefix(width);
  return value;
}

std::optional<std::string_view> take_bytes(std::string_view& bytes) {
  const auto length = take_varint(bytes);
  if (!length || *length > bytes.size()) return std::nullopt;
  const std::string_view taken = bytes.substr(0, *length);
  bytes.remove_prefix(*length);
  return taken;
}

std::optional<ProtobufField> take_field(std::string_view& bytes) {
  const auto tag = take_varint(bytes);
  if (!tag || *tag >> 3 == 0 || *tag >> 3 > 0x1fffffff) return std::nullopt;
  ProtobufField field{static_cast<std::uint32_t>(*tag >> 3), {}, {}};
  const std::uint64_t type = *tag & 7;
  if (type == kBytes) {
    const auto taken = take_bytes(bytes);
    if (!taken) return std::nullopt;
    field.bytes = *taken;
    return field;
  }
  if (type == kVarint) field.value = take_varint(bytes);
  if (type == kFixed64) field.value = take_fixed(bytes, 8);
  if (type == kFixed32) field.value = take_fixed(bytes, 4);
  return field.value ? std::optional(field) : std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < std::min(bytes.size(), kLongestVarint); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    value |= std::uint64_t{byte & 0x7fu} << (7 * i);
    if (byte >= 0x80) continue;
    bytes.remove_prefix(i + 1);
    return value;
  }
  return std::nullopt;
}

std::optional<ProtobufField> ProtobufFields::next() {
  if (rest_.empty() || broken_) return std::nullopt;
  const std::optional<ProtobufField> field = take_field(rest_);
  broken_ = !field;
  return field;
}

// Whether so many bytes are there, or all that the file has left.
bool ProtobufFile::fill(std::size_t most) {
  buffer_.erase(0, begin_);
  begin_ = 0;
  while (buffer_.size() < most) {
    const std::size_t had = buffer_.size();
    buffer_.resize(had + kBlock);
    const std::size_t read = bytes_.read({buffer_.data() + had, kBlock});
    buffer_.resize(had + read);
    if (read == 0) return false;
  }
  return true;
}

std::optional<std::string_view> ProtobufFile::next() {
  if (buffer_.size() - begin_ < kLongestVarint) fill(kLongestVarint);
  std::string_view rest = std::string_view(buffer_).substr(begin_);
  if (rest.empty()) return std::nullopt;
  const auto length = take_varint(rest);
  const auto refuse = [&](const char* expected, std::string found) {
    throw InputError({{bytes_.path(), "/", expected, std::move(found)}});
  };
  if (!length || *length > kLongestMessage)
    refuse("messages of at most 64 MiB, each after its length", "others");
  begin_ = buffer_.size() - rest.size();
  if (rest.size() < *length && !fill(*length) && buffer_.size() < *length)
    refuse("whole messages, each after its length", "a file that ends in the middle of one");
  const std::string_view message = std::string_view(buffer_).substr(begin_, *length);
  begin_ += *length;
  return message;
}

}  // namespace spillway
