// Output files that appear whole or not at all: they are written in the same folder, then renamed.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <ostream>
#include <utility>
#include <vector>

#include "base/passing_file.h"

namespace spillway {

// Several files of one answer: all appear, or none. A full disk leaves the old files.
class WholeFiles {
 public:
  // Writes a file beside its place, and makes the folder if it is missing. Throws InputError with the path if
  // that fails. An exception of `write` leaves no file behind.
  void add(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write);

  // Names a file of an older answer that put() removes if it exists.
  void drop(std::filesystem::path path) { dropped_.push_back(std::move(path)); }

  // Moves all files to their places, over existing files; then removes the dropped ones.
  void put();

 private:
  std::vector<std::filesystem::path> dropped_ = {};
  std::deque<PassingFile> files_ = {};
};

// Makes missing folders and replaces an existing file. Throws InputError with the path if the file cannot be
// made or written. An exception of `write` leaves no file behind.
void write_whole_file(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write);

}  // namespace spillway
