// A file that appears whole or not at all. It is written under a temporary name in the same folder, and then
// renamed.
#pragma once

#include <filesystem>
#include <string>

namespace spillway {

// Every exception is an InputError that names the place.
class PassingFile {
 public:
  // Makes the missing folders and an empty file under an unused name. Throws if the file cannot be made.
  explicit PassingFile(const std::filesystem::path& place);
  // Removes the file unless it was put in its place. SIGINT, SIGTERM and SIGHUP remove it, too, unless
  // another handler takes them.
  ~PassingFile();
  PassingFile(const PassingFile&) = delete;
  PassingFile& operator=(const PassingFile&) = delete;

  const std::string& name() const { return name_; }
  // The file opened for writing, once; the caller closes it.
  int take_descriptor();

  // Moves the file to its place and overwrites a file there. Throws if that fails.
  void replace() const;
  // Moves the file to its place. Returns false if the place is taken; throws if it fails for another reason.
  bool put_where_free() const;

 private:
  std::filesystem::path place_;
  std::string name_;
  int descriptor_ = -1;
};

}  // namespace spillway
