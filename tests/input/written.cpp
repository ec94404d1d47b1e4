#include "written.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/error.h"
#include "input/experiment/experiment.h"
#include "support/temporary_folder.h"

namespace spillway {

std::string folder_of_this_test() {
  return testing::folder_of_process().path().string() + "/";
}

std::string written(const std::string& name, const std::string& content) {
  return testing::folder_of_process().file(name, content);
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
