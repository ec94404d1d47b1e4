// Numbers and texts as bytes, for messages between processes of one program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace spillway {

class Packer {
 public:
  void number(std::uint64_t value);
  void text(std::string_view text);

  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads what a Packer wrote, in its order. Throws std::runtime_error where the bytes end before it.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number();
  std::string_view text();

 private:
  std::string_view next(std::size_t length);

  std::string_view rest_;
};

}  // namespace spillway
