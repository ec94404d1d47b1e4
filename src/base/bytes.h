// Values as bytes and back: integers little-endian on every machine, numbers as their IEEE 754 bits, a text
// as its length in four bytes and then itself.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace spillway {

template <std::unsigned_integral Integer>
void append_bytes(Integer value, std::string& bytes) {
  for (std::size_t byte = 0; byte < sizeof value; ++byte)
    bytes += static_cast<char>(std::uint64_t{value} >> 8 * byte);
}

class ByteWriter {
 public:
  template <std::unsigned_integral Integer>
  void integer(Integer value) {
    append_bytes(value, bytes_);
  }
  void number(double value) { integer(std::bit_cast<std::uint64_t>(value)); }
  void length(std::size_t value);  // of a list. Contract: below 2^32
  void text(std::string_view value);

  const std::string& bytes() const { return bytes_; }
  std::string take() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads values in the order in which a ByteWriter wrote them. It checks every length against the remaining
// bytes before it allocates. Throws InputError if the bytes end too early.
class ByteReader {
 public:
  // `what` names the content in messages: "an outcome".
  ByteReader(std::string_view bytes, std::string_view what) : left_(bytes), what_(what) {}

  template <std::unsigned_integral Integer>
  Integer integer() {
    std::uint64_t value = 0;
    const std::string_view bytes = take(sizeof(Integer));
    for (std::size_t byte = 0; byte < bytes.size(); ++byte)
      value |= std::uint64_t{static_cast<unsigned char>(bytes[byte])} << 8 * byte;
    return static_cast<Integer>(value);
  }
  double number() { return std::bit_cast<double>(integer<std::uint64_t>()); }
  // The length of a list whose elements take at least `bytes_of_one` bytes each.
  std::size_t length(std::size_t bytes_of_one);
  std::string_view text() { return take(integer<std::uint32_t>()); }
  std::string_view left() const { return left_; }

 private:
  std::string_view take(std::size_t bytes);
  [[noreturn]] void refuse_length(std::size_t length) const;

  std::string_view left_, what_;
};

}  // namespace spillway
