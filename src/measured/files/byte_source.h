// A file read from front to back, unpacked on the way where it is gzipped. Private to src/measured.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace spillway {

class ByteSource {
 public:
  // Throws InputError where the file is missing, a folder, or cannot be read.
  explicit ByteSource(const std::string& path);
  ~ByteSource();

  // Fills the buffer from the front as far as the file goes; 0 at its end. Throws InputError where packed
  // data is broken, or ends before its end.
  std::size_t read(std::span<char> buffer);

  const std::string& path() const { return path_; }

 private:
  struct File;
  std::string path_;
  std::unique_ptr<File> file_;
};

}  // namespace spillway
