// Reads the bytes as a folder of images. Lines of dashes separate parts; each is a file named by its first
// line. A link to the folder and a pipe lie beside the files.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "input/experiment/trace.h"
#include "target.h"

namespace spillway::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBetween = "\n---\n";

// Returns a name that a file system takes and that stays in the folder.
std::string harmless(std::string_view line) {
  std::string name(line.substr(0, 60));
  for (char& c : name)
    if (c == '/' || c == '\0') c = '_';
  return "n" + name;
}

void add_part(const fs::path& folder, std::string_view part) {
  const std::size_t line = std::min(part.find('\n'), part.size());
  std::ofstream(folder / harmless(part.substr(0, line)), std::ios::binary)
      << part.substr(std::min(line + 1, part.size()));
}

void read_as_folder(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const fs::path folder = path + ".folder";
  fs::remove_all(folder);
  fs::create_directories(folder / "deeper");
  fs::create_directory_symlink(".", folder / "link");
  ::mkfifo((folder / "pipe.png").c_str(), 0600);
  bool deeper = false;
  for (std::string_view rest = bytes; !rest.empty(); deeper = !deeper) {
    const std::size_t end = std::min(rest.find(kBetween), rest.size());
    add_part(deeper ? folder / "deeper" : folder, rest.substr(0, end));
    rest.remove_prefix(std::min(end + kBetween.size(), rest.size()));
  }
  read_image_trace(folder.string(), ResizeRule{});
}

}  // namespace

const Target kImageFolder("image_folder", "f", &read_as_folder);

}  // namespace spillway::testing
