// Output files appear whole or not at all: written beside their place, then renamed into it.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <ostream>
#include <utility>
#include <vector>

#include "base/passing_file.h"

namespace spillway {

// Several files of one answer: all appear, or none. A disk that is full leaves what was there.
class WholeFiles {
 public:
  // Writes one beside its place, in a folder that is made where there is none. Throws InputError, naming the
  // path, where that cannot be; whatever `write` throws leaves no file behind either.
  void add(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write);

  // A file of an older answer that goes when these are put, if it is there.
  void drop(std::filesystem::path path) { dropped_.push_back(std::move(path)); }

  // Puts all of them into their places, in the place of files that are there; then what was dropped is
  // removed.
  void put();

 private:
  std::vector<std::filesystem::path> dropped_ = {};
  std::deque<PassingFile> files_ = {};
};

// Makes the folders on the way and replaces a file that is there. Throws InputError, naming the path, where
// the file cannot be made or written; whatever `write` throws leaves no file behind either.
void write_whole_file(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write);

}  // namespace spillway
