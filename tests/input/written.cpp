#include "written.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "base/error.h"
#include "input/experiment/experiment.h"

namespace spillway {

namespace {

// The folder is removed when the process ends.
struct TemporaryFolder {
  TemporaryFolder() { std::filesystem::create_directories(path); }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string path = ::testing::TempDir() + "spillway_spec_" + std::to_string(getpid()) + "/";
};

}  // namespace

std::string folder_of_this_test() {
  static const TemporaryFolder folder;
  return folder.path;
}

std::string written(const std::string& name, const std::string& content) {
  const std::string path = folder_of_this_test() + name;
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

std::vector<std::string> complaints(const std::function<void()>& read) {
  try {
    read();
  } catch (const InputError& error) {
    std::vector<std::string> lines;
    for (const Violation& violation : error.violations()) {
      std::string line = to_string(violation);
      const std::string folder = folder_of_this_test();
      if (line.starts_with(folder)) line.erase(0, folder.size());
      lines.push_back(line);
    }
    return lines;
  }
  return {};
}

std::vector<std::string> experiment_complaints(const std::string& text) {
  const std::string path = written("x.json", text);
  return complaints([&] { read_experiment(path, {}); });
}

std::string shipped(const std::string& path) {
  return std::string(SPILLWAY_SOURCE_DIR) + "/" + path;
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

Experiment small() {
  return read_experiment(shipped("workloads/experiments/small.json"), {});
}

}  // namespace spillway
