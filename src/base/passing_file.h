// A file on its way into its place: written under a passing name beside it, then renamed, so that it appears
// whole or not at all.
#pragma once

#include <filesystem>
#include <string>

namespace spillway {

// What is thrown is an InputError that names the place.
class PassingFile {
 public:
  // Makes the folders on the way and an empty file under a name that nobody had. Throws where it cannot be
  // made.
  explicit PassingFile(const std::filesystem::path& place);
  // Removes the file unless it was put in its place. So does the end of the process by SIGINT, SIGTERM or
  // SIGHUP, where nobody else takes those.
  ~PassingFile();
  PassingFile(const PassingFile&) = delete;
  PassingFile& operator=(const PassingFile&) = delete;

  const std::string& name() const { return name_; }
  // The file opened for writing, once; the caller closes it.
  int take_descriptor();

  // In the place of a file that is there. Throws where that cannot be.
  void replace() const;
  // False where the place is taken. Throws where it cannot be for another reason.
  bool put_where_free() const;

 private:
  std::filesystem::path place_;
  std::string name_;
  int descriptor_ = -1;
};

}  // namespace spillway
