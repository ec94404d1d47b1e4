#include "json/shipped_files.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/files.h"

namespace spillway {
namespace {

namespace fs = std::filesystem;

struct Shelf {
  std::string_view key, folder, ending;
};
constexpr std::array<Shelf, 11> kShelves{{{"platform", "platforms", ".json"},
                                          {"framework", "platforms/frameworks", ".json"},
                                          {"architecture", "workloads/models", "/config.json"},
                                          {"trace", "workloads/traces", ".csv"},
                                          {"images_per_sample", "workloads/traces", ".csv"},
                                          {"text_tokens", "workloads/traces", ".csv"},
                                          {"experiment", "workloads/experiments", ".json"},
                                          {"job", "workloads/jobs", ".json"},
                                          {"sweep", "workloads/studies", ".json"},
                                          {"cases", "workloads/published", ".json"},
                                          {"known_errors", "workloads/errors", ".json"}}};

// The path of the program, or of the library that contains this code.
fs::path own_file() {
  Dl_info info{};
  const bool known = dladdr(reinterpret_cast<const void*>(&own_file), &info) != 0 && info.dli_fname;
  const fs::path file = known ? info.dli_fname : "";
  return canonical_path(file.extension() == ".so" ? file : fs::path("/proc/self/exe"));
}

bool holds_data(const fs::path& folder) {
  return is_folder(folder / "platforms") && is_folder(folder / "workloads");
}

// Empty if there is none.
fs::path data_folder() {
  if (const char* stated = std::getenv("SPILLWAY_DATA")) return stated;
  for (fs::path folder = own_file().parent_path(); folder != folder.root_path();
       folder = folder.parent_path()) {
    if (holds_data(folder / "share/spillway")) return folder / "share/spillway";
    if (holds_data(folder)) return folder;
  }
  return {};
}

bool is_name(const std::string& path) {
  return !path.empty() && path.find('/') == std::string::npos && !path.ends_with(".json") &&
         !path.ends_with(".csv");
}

}  // namespace

std::string shipped_or(const std::string& path, std::string_view key) {
  const std::string name = fs::path(path).filename().string();
  const auto shelf = std::ranges::find(kShelves, key, &Shelf::key);
  if (shelf == kShelves.end() || !is_name(name) || is_there(path)) return path;
  static const fs::path data = data_folder();
  const std::string file = (data / shelf->folder / (name + std::string(shelf->ending))).string();
  return !data.empty() && is_plain_file(file) ? file : path;
}

Source shipped_source(Source source, std::string_view key) {
  if (!source.text && is_name(source.file)) source.file = shipped_or(source.file, key);
  return source;
}

}  // namespace spillway
