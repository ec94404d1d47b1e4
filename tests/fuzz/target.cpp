#include "target.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/error.h"

namespace spillway::testing {
namespace {

std::vector<const Target*>& targets() {
  static std::vector<const Target*> all;
  return all;
}

// A folder of this process, removed when the process ends.
struct Folder {
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("spillway-fuzz-" + std::to_string(getpid()));
};

const std::filesystem::path& folder() {
  static const Folder folder;
  return folder.path;
}

}  // namespace

Target::Target(std::string_view name, std::string_view file, Read read)
    : name_(name), file_(file), read_(read) {
  targets().push_back(this);
}

void Target::take(std::string_view bytes) const {
  const std::filesystem::path path = folder() / file_;
  std::ofstream(path, std::ios::binary) << bytes;
  try {
    read_(path.string());
  } catch (const InputError& refused) {
    ensure(!refused.violations().empty(), "a refusal says why");
  } catch (const Infeasible&) {
  }
}

const std::vector<const Target*>& Target::all() {
  return targets();
}

}  // namespace spillway::testing
