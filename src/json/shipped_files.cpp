#include "json/shipped_files.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/nearest.h"
#include "base/text.h"

namespace spillway {
namespace {

namespace fs = std::filesystem;

struct Shelf {
  std::string_view key, folder, ending;
};
constexpr std::array<Shelf, 14> kShelves{{{"platform", "platforms", ".json"},
                                          {"framework", "platforms/frameworks", ".json"},
                                          {"architecture", "workloads/models", "/config.json"},
                                          {"trace", "workloads/traces", ".csv"},
                                          {"images_per_sample", "workloads/traces", ".csv"},
                                          {"text_tokens", "workloads/traces", ".csv"},
                                          {"order_file", "workloads/orders", ".csv"},
                                          {"file", "workloads/measured", ".csv"},
                                          {"recorded", "workloads/published/traces", ".csv"},
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

const fs::path& data() {
  static const fs::path folder = data_folder();
  return folder;
}

bool has_ending(const std::string& path) {
  return path.ends_with(".json") || path.ends_with(".csv");
}

bool is_name(const std::string& path) {
  return !path.empty() && path.find('/') == std::string::npos && !has_ending(path);
}

std::string without_ending(const std::string& name) {
  return has_ending(name) ? name.substr(0, name.rfind('.')) : name;
}

const Shelf* shelf_of(std::string_view key) {
  const auto shelf = std::ranges::find(kShelves, key, &Shelf::key);
  return shelf == kShelves.end() ? nullptr : &*shelf;
}

std::string file_on(const Shelf& shelf, const std::string& name) {
  return (data() / shelf.folder / (name + std::string(shelf.ending))).string();
}

std::vector<std::string> names_on(const Shelf& shelf) {
  std::vector<std::string> names;
  for (const fs::path& entry : entries_of(data() / shelf.folder))
    if (const std::string name = entry.stem().string();
        is_plain_file(file_on(shelf, entry.filename().string())))
      names.push_back(entry.filename().string());
    else if (is_plain_file(file_on(shelf, name)))
      names.push_back(name);
  return names;
}

// "h20" of "hgx-h20": the names with a part, between hyphens, that is the word.
std::vector<std::string_view> with_part(std::string_view word, std::span<const std::string_view> names) {
  const std::string part = '-' + lower(word) + '-';
  std::vector<std::string_view> having;
  for (const std::string_view name : names)
    if (('-' + lower(name) + '-').find(part) != std::string::npos) having.push_back(name);
  return having;
}

struct Command {
  std::string_view key, kind, takes;
};
constexpr std::array<Command, 4> kCommands{{{"experiment", "experiment", "run"},
                                            {"job", "job", "plan"},
                                            {"sweep", "sweep", "sweep"},
                                            {"cases", "table of measured steps", "validate"}}};

// Refuses the name of a shipped document that is another command's.
void refuse_others(const std::string& name, std::string_view key) {
  const bool whole = std::ranges::find(kCommands, key, &Command::key) != kCommands.end();
  for (const auto& [other, kind, takes] : kCommands)
    if (whole && is_name(name) && is_plain_file(file_on(*shelf_of(other), name)))
      throw InputError({{name, "/", "a readable file",
                         "a shipped " + std::string(kind) + ", which " + std::string(takes) + " takes"}});
}

// Refuses a missing file whose name hardly differs from a shipped one.
void refuse_near(const std::string& path, std::string_view key) {
  if (path.empty() || !is_missing(path)) return;
  refuse_others(path, key);
  if (const std::string shipped = or_the_shipped(path, key); !shipped.empty())
    throw InputError({{path, "/", "a readable file" + shipped, "No such file or directory"}});
}

}  // namespace

std::string shipped_or(const std::string& path, std::string_view key) {
  const std::string name = fs::path(path).filename().string();
  const Shelf* shelf = shelf_of(key);
  // A folder beside a job is its images, and no model or platform of that name.
  const bool given = key == "trace" ? is_there(path) : is_there(path) && !is_folder(path);
  if (!shelf || !is_name(name) || given) return path;
  const std::string file = file_on(*shelf, name);
  return !data().empty() && is_plain_file(file) ? file : path;
}

std::string or_the_shipped(const std::string& path, std::string_view key) {
  const Shelf* shelf = shelf_of(key);
  const std::string name = without_ending(fs::path(path).filename().string());
  if (!shelf || name.empty() || !is_folder(data() / shelf->folder)) return "";
  const std::vector<std::string> names = names_on(*shelf);
  const std::vector<std::string_view> known(names.begin(), names.end());
  std::vector<std::string_view> meant = with_part(name, known);
  if (const auto near = near_word(name, known); meant.empty() && near) meant = {*near};
  std::string words;
  for (const std::string_view one : meant)
    words += (words.empty() ? ", or the shipped \"" : "\" or \"") + std::string(one);
  return words.empty() ? "" : words + '"';
}

std::string shipped_argument(const std::string& path, std::string_view key) {
  std::string file = shipped_or(path, key);
  refuse_near(file, key);
  return file;
}

Source shipped_source(Source source, std::string_view key) {
  if (source.text) return source;
  if (is_name(source.file)) source.file = shipped_or(source.file, key);
  refuse_near(source.file, key);
  return source;
}

}  // namespace spillway
