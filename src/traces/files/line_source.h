// The lines of a text file of any size, one at a time. Private to src/traces.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/byte_source.h"

namespace spillway {

// Wrong rows of a measured file beyond these are only counted.
inline constexpr std::size_t kMostRefused = 20;

class LineSource {
 public:
  explicit LineSource(const std::string& path);

  // The next line without its end (LF or CRLF); nothing at the end of the file. A view until the next call.
  // Throws InputError where a line is longer than a mebibyte: no text we read is.
  std::optional<std::string_view> next();

  std::size_t number() const { return number_; }  // of the line returned last, from 1
  std::string place() const { return "line " + std::to_string(number_); }
  const std::string& path() const { return bytes_.path(); }

 private:
  bool fill();

  ByteSource bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t number_ = 0;
  bool at_end_ = false;
};

}  // namespace spillway
