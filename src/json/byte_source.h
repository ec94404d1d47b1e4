// Reads a regular file from front to back, and unpacks it if it is gzipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace spillway {

// A file that unpacks to more than this many times its size, and to more than a minimum of bytes, is treated
// as a zip bomb. Tables and traces pack 5 to 40 times.
inline constexpr std::uint64_t kMostExpansion = 50;
inline constexpr std::uint64_t kSmallExpanded = std::uint64_t{64} << 20;

class ByteSource {
 public:
  // Checks the kind of file before it opens it: a pipe would wait for its writer, and a device may never end.
  // Throws InputError if the file is missing, not regular or not readable.
  explicit ByteSource(const std::string& path);
  ~ByteSource();

  // Fills the buffer from the front and returns the number of bytes; 0 at the end of the file. Throws
  // InputError if packed data is corrupt, truncated, or expands beyond kMostExpansion.
  std::size_t read(std::span<char> buffer);

  // Returns the next `most` bytes; fewer only at the end of the file.
  std::string read(std::size_t most);

  // Skips up to `most` bytes and returns the number skipped. It skips nothing in a packed file, because only
  // unpacking can check that the file is intact.
  std::uint64_t skip(std::uint64_t most);

  // Lifts the limit, for readers whose memory does not grow with the unpacked size: flat pictures pack a
  // thousandfold.
  void allow_any_expansion() { bounded_ = false; }

  const std::string& path() const { return path_; }

 private:
  struct File;
  std::string path_;
  bool bounded_ = true;
  std::unique_ptr<File> file_;
};

}  // namespace spillway
