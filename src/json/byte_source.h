// A regular file read from front to back, unpacked on the way where it is gzipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace spillway {

// What unpacks to more than so many times its size, and to more than so many bytes, is made to fill a memory:
// tables and traces pack 5 to 40 times.
inline constexpr std::uint64_t kMostExpansion = 50;
inline constexpr std::uint64_t kSmallExpanded = std::uint64_t{64} << 20;

class ByteSource {
 public:
  // Looks before it opens: a pipe would wait for its writer, a device may never end. Throws InputError where
  // the file is missing, none of the regular ones, or cannot be read.
  explicit ByteSource(const std::string& path);
  ~ByteSource();

  // Fills the buffer from the front as far as the file goes; 0 at its end. Throws InputError where packed
  // data is broken, ends before its end, or unpacks beyond kMostExpansion.
  std::size_t read(std::span<char> buffer);

  // Up to so many bytes more: fewer at the end alone.
  std::string read(std::size_t most);

  // Passes over up to so many bytes that are in the file, and says how many: none of a packed file, which has
  // to be unpacked to be known whole.
  std::uint64_t skip(std::uint64_t most);

  // For a reader that holds no more of a file that unpacks to more: flat pictures pack a thousandfold.
  void allow_any_expansion() { bounded_ = false; }

  const std::string& path() const { return path_; }

 private:
  struct File;
  std::string path_;
  bool bounded_ = true;
  std::unique_ptr<File> file_;
};

}  // namespace spillway
