// The bytes of one file after its head, from front to back. The file may be a member of an archive, which is
// read once, so there is no way back. Private to src/input.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace spillway {

class ImageBytes {
 public:
  // `read` returns the next bytes, up to that many, and fewer only at the end. `skip` passes over up to that
  // many bytes if that is cheaper than to read them, and returns how many it passed over, maybe none.
  using Read = std::function<std::string(std::size_t most)>;
  using Skip = std::function<std::uint64_t(std::uint64_t most)>;
  explicit ImageBytes(
      Read read, Skip skip = [](std::uint64_t) { return std::uint64_t{0}; })
      : read_(std::move(read)), skip_(std::move(skip)) {}

  std::string read(std::size_t most) const { return read_(most); }

  // Passes over that many bytes, or all that are left.
  void pass_over(std::uint64_t bytes) const {
    constexpr std::uint64_t piece = std::uint64_t{1} << 17;
    for (bytes -= skip_(bytes); bytes > 0;) {
      const std::size_t got = read_(static_cast<std::size_t>(std::min(bytes, piece))).size();
      if (got == 0) return;
      bytes -= got;
    }
  }

 private:
  Read read_;
  Skip skip_;
};

}  // namespace spillway
