#include "report/whole_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

#include "base/error.h"

namespace spillway {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, const std::string& reason) {
  throw InputError({{path.string(), "/", "a place that can be written", reason}});
}

// The file under its passing name; gone at the end of its life unless it was renamed.
class PartialFile {
 public:
  explicit PartialFile(const fs::path& path)
      : path_(path), partial_(path.string() + ".part" + std::to_string(::getpid())) {}
  ~PartialFile() {
    std::error_code ignored;
    fs::remove(partial_, ignored);
  }
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  void write(const std::function<void(std::ostream&)>& content) const {
    errno = 0;
    std::ofstream out(partial_, std::ios::binary);
    if (!out) refuse(path_, std::strerror(errno));
    content(out);
    out.close();
    if (!out) refuse(path_, std::strerror(errno));
  }

  void rename_into_place() const {
    std::error_code error;
    fs::rename(partial_, path_, error);
    if (error) refuse(path_, error.message());
  }

 private:
  fs::path path_;
  fs::path partial_;
};

}  // namespace

void write_whole_file(const fs::path& path, const std::function<void(std::ostream&)>& write) {
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  if (error) refuse(path, error.message());
  // Renaming would put a file in the place of a device or a pipe.
  if (fs::is_other(path, error)) refuse(path, "a device or another special file");
  const PartialFile file(path);
  file.write(write);
  file.rename_into_place();
}

}  // namespace spillway
