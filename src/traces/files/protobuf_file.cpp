#include "traces/files/protobuf_file.h"

#include <protozero/varint.hpp>

#include "base/error.h"

namespace spillway {
namespace {

constexpr std::size_t kLongestVarint = protozero::max_varint_length;
constexpr std::size_t kLongestMessage = std::size_t{64} << 20;
constexpr std::size_t kBlock = std::size_t{1} << 20;

}  // namespace

std::optional<std::uint64_t> take_varint(std::string_view& bytes) try {
  const char* at = bytes.data();
  const std::uint64_t value = protozero::decode_varint(&at, at + bytes.size());
  bytes.remove_prefix(static_cast<std::size_t>(at - bytes.data()));
  return value;
} catch (const protozero::exception&) {
  return std::nullopt;
}

// Reads until `most` bytes are buffered. Returns false if the file ends before.
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
