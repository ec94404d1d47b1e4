// Also the questions of base/files.h, which ask for given files here, and the list of images, which is a
// given text.
#include "given_files.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>
#include <utility>

#include "base/files.h"
#include "input/images/image_list.h"

namespace spillway {
namespace {

namespace fs = std::filesystem;

struct Given {
  std::unique_ptr<FileMemory> memory = std::make_unique<FileMemory>();
  std::set<std::string> paths;
};

Given& given() {
  static Given all;
  return all;
}

}  // namespace

void forget_files() {
  given() = Given();
  setenv("SPILLWAY_DATA", kShipped, 1);  // where json/shipped_files.cpp looks
}

void give_file(const std::string& path, std::string text) {
  const std::string there = fs::path(path).lexically_normal().string();
  if (given().paths.insert(there).second) given().memory->put(there, std::move(text));
}

FileMemory& given_files() {
  return *given().memory;
}

bool is_there(const fs::path& path) {
  return is_plain_file(path) || is_folder(path);
}

bool is_missing(const fs::path& path) {
  return !is_there(path);
}

bool is_folder(const fs::path& path) {
  const std::string inside = path.string() + '/';
  const auto first = given().paths.lower_bound(inside);
  return first != given().paths.end() && first->compare(0, inside.size(), inside) == 0;
}

bool is_plain_file(const fs::path& path) {
  return given().paths.count(path.string()) > 0;
}

fs::path absolute_path(const fs::path& path) {
  return path;
}

fs::path canonical_path(const fs::path& path) {
  return path.lexically_normal();
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  const std::string inside = folder.string() + '/';
  std::set<fs::path> entries;
  for (auto path = given().paths.lower_bound(inside);
       path != given().paths.end() && path->compare(0, inside.size(), inside) == 0; ++path)
    entries.insert(folder / path->substr(inside.size(), path->find('/', inside.size()) - inside.size()));
  return {entries.begin(), entries.end()};
}

FileText load_image_list(const std::string& path) {
  return {std::nullopt, {{path, "", "a table of images that was given to the page", "none"}}};
}

}  // namespace spillway

// A module in a browser has no path.
extern "C" int dladdr(const void*, Dl_info*) {
  return 0;
}
