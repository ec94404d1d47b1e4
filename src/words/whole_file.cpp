#include "words/whole_file.h"

#include <cerrno>
#include <cstring>
#include <ext/stdio_filebuf.h>

#include "base/error.h"
#include "base/files.h"

namespace spillway {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& reason) {
  throw InputError({{path.string(), "/", "a place that can be written", reason}});
}

}  // namespace

void WholeFiles::add(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write) {
  // Renaming would replace a device or a pipe by a file, and cannot replace a folder.
  if (is_special(path)) refuse(path, "a device or another special file");
  if (is_folder(path)) refuse(path, "a folder");
  PassingFile& file = files_.emplace_back(path);
  __gnu_cxx::stdio_filebuf<char> buffer(file.take_descriptor(), std::ios::out | std::ios::binary);
  std::ostream out(&buffer);
  errno = 0;
  write(out);
  if (!out || buffer.close() == nullptr) refuse(path, std::strerror(errno));
}

void WholeFiles::put() {
  for (const PassingFile& file : files_) file.replace();
  files_.clear();
  for (const std::filesystem::path& path : dropped_) remove_file(path);
  dropped_.clear();
}

void write_whole_file(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write) {
  WholeFiles files;
  files.add(path, write);
  files.put();
}

}  // namespace spillway
