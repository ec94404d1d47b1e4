// A small file for an importer to read, in GoogleTest's folder for such.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace spillway::testing {

inline std::string written_file(const std::string& name, const std::string& text) {
  const auto path =
      std::filesystem::path(::testing::TempDir()) / (std::to_string(getpid()) + "-operators-" + name);
  std::ofstream(path, std::ios::binary) << text;
  return path.string();
}

}  // namespace spillway::testing
