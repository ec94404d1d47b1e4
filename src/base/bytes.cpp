#include "base/bytes.h"

#include <limits>

#include "base/error.h"

namespace spillway {

void ByteWriter::length(std::size_t value) {
  ensure(value <= std::numeric_limits<std::uint32_t>::max(), "a list of fewer than 2^32 elements");
  integer(static_cast<std::uint32_t>(value));
}

void ByteWriter::text(std::string_view value) {
  length(value.size());
  bytes_ += value;
}

std::size_t ByteReader::length(std::size_t bytes_of_one) {
  const auto count = integer<std::uint32_t>();
  if (count > left_.size() / bytes_of_one) refuse_length(count);
  return count;
}

std::string_view ByteReader::take(std::size_t bytes) {
  if (bytes > left_.size()) refuse_length(bytes);
  const std::string_view taken = left_.substr(0, bytes);
  left_.remove_prefix(bytes);
  return taken;
}

void ByteReader::refuse_length(std::size_t length) const {
  throw InputError({{"", "", std::string(what_) + " with room for a part of length " + std::to_string(length),
                     std::to_string(left_.size()) + " bytes left"}});
}

}  // namespace spillway
