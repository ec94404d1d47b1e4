// Reads the lines of a text file of any size, one at a time. Private to src/traces.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/byte_source.h"

namespace spillway {

// A measured file reports this many wrong rows and only counts further ones.
inline constexpr std::size_t kMostRefused = 20;

class LineSource {
 public:
  explicit LineSource(const std::string& path);

  // Returns the next line without its end (LF or CRLF), or nothing at the end of the file. The view holds
  // until the next call. Throws InputError if a line is longer than a mebibyte, which no trace format needs.
  std::optional<std::string_view> next();

  // Returns true if the last line returned had an end, or none was returned.
  bool ended() const { return ended_; }
  std::size_t number() const { return number_; }  // of the last line returned, from 1
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
  bool ended_ = true;
};

}  // namespace spillway
