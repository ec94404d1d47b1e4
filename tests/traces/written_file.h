// A file with a given text for as long as a test needs it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace spillway::testing {

class WrittenFile {
 public:
  explicit WrittenFile(std::string_view text, const std::string& name = "trace.csv")
      : folder_(std::filesystem::path(::testing::TempDir()) /
                ("spillway-" + std::to_string(::getpid()) + "-" + std::to_string(count_++))),
        path_((folder_ / name).string()) {
    std::filesystem::create_directories(folder_);
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~WrittenFile() { std::filesystem::remove_all(folder_); }
  WrittenFile(const WrittenFile&) = delete;
  WrittenFile& operator=(const WrittenFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  static inline int count_ = 0;
  std::filesystem::path folder_;
  std::string path_;
};

}  // namespace spillway::testing
