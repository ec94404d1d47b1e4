// Where tests write. They run side by side, so no two may share the name of a file.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <system_error>

#include "base/error.h"

namespace spillway::testing {

// A new, empty folder, removed at the end with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "spillway-XXXXXX").string();
    ensure(::mkdtemp(name.data()) != nullptr, "a folder for the test");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  std::string file(const std::string& name) const { return (path_ / name).string(); }

  // Writes a file of this content, in folders that are made; returns its path.
  std::string file(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << content;
    return file(name);
  }

  std::set<std::string> names() const {
    std::set<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      all.insert(entry.path().filename().string());
    return all;
  }

 private:
  std::filesystem::path path_;
};

// Returns the folder of this process, which is removed when the process ends.
inline const TemporaryFolder& folder_of_process() {
  static const TemporaryFolder folder;
  return folder;
}

}  // namespace spillway::testing
