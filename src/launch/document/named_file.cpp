// Test: tests/launch/trainer_scripts_test.cpp.
#include "launch/document/named_file.h"

#include <filesystem>

#include "base/files.h"
#include "json/text_file.h"
#include "launch/shell/marks.h"

namespace spillway {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> place_of_file(const fs::path& path, const std::string& script,
                                         const LaunchOptions& options) {
  for (const std::string& file : options.files)
    if (fs::path(file).filename() == path.filename()) return file;
  if (path.is_absolute()) return std::nullopt;
  constexpr int kMostFolders = 6;
  fs::path folder = fs::path(absolute_path(script)).parent_path();
  for (int i = 0; i < kMostFolders; ++i, folder = folder.parent_path()) {
    const std::string there = (folder / path).lexically_normal().string();
    if (is_plain_file(there)) return there;
  }
  return std::nullopt;
}

}  // namespace

std::optional<NamedFile> named_file(const std::string& path, const std::string& script,
                                    const LaunchOptions& options, const std::string& place,
                                    Findings& findings) {
  if (has_unknown(path)) {
    findings.add(place, "a path that can be read in the script (--set NAME=VALUE)", "another");
    return std::nullopt;
  }
  const std::string name = fs::path(path).filename().string();
  const auto there = place_of_file(path, script, options);
  if (!there) {
    findings.add(place,
                 "--file with the path of " + name + ", which is in no folder of the script or above it",
                 '"' + path.substr(0, 80) + '"');
    return std::nullopt;
  }
  Findings own(*there);
  auto text = read_file(*there, own);
  if (!text) {
    findings.add(own.listed());
    return std::nullopt;
  }
  return NamedFile{name, std::move(*text)};
}

}  // namespace spillway
