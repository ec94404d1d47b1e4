#include "sweep/run/wire.h"

#include <cstring>
#include <stdexcept>

namespace spillway {

void Packer::number(std::uint64_t value) {
  bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void Packer::text(std::string_view text) {
  number(text.size());
  bytes_ += text;
}

std::uint64_t Unpacker::number() {
  std::uint64_t value = 0;
  std::memcpy(&value, next(sizeof value).data(), sizeof value);
  return value;
}

std::string_view Unpacker::text() {
  return next(number());
}

std::string_view Unpacker::next(std::size_t length) {
  if (length > rest_.size()) throw std::runtime_error("a message between processes was cut short");
  const std::string_view bytes = rest_.substr(0, length);
  rest_.remove_prefix(length);
  return bytes;
}

}  // namespace spillway
