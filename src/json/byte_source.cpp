#include "json/byte_source.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/files.h"

namespace spillway {
namespace {

constexpr unsigned kBufferBytes = 1u << 17;
constexpr const char* kCut = "one that ends in the middle";

[[noreturn]] void refuse(const std::string& path, std::string expected, std::string found) {
  throw InputError({{path, "/", std::move(expected), std::move(found)}});
}

void look_at(const std::string& path) {
  if (is_folder(path)) refuse(path, "a file", "a directory");
  // A pipe gives its text once, and readers look at a file before they read it.
  if (is_special(path)) refuse(path, "a plain file, since it is read more than once", "a pipe or a device");
}

}  // namespace

// zlib's file reads plain files as they are.
struct ByteSource::File {
  gzFile handle;
  std::uint64_t size;  // on disk, in bytes

  ~File() { gzclose(handle); }

  // The error of the last read; empty if there is none. zlib puts the file's name before its message.
  std::string fault(const std::string& path) const {
    int error = Z_OK;
    const std::string message = gzerror(handle, &error);
    if (error == Z_OK || error == Z_STREAM_END) return "";
    if (error == Z_BUF_ERROR) return kCut;
    if (error == Z_ERRNO) return std::strerror(errno);
    return message.starts_with(path + ": ") ? message.substr(path.size() + 2) : message;
  }

  bool is_packed() const { return gzdirect(handle) == 0; }
  std::uint64_t place() const { return static_cast<std::uint64_t>(gztell(handle)); }
};

ByteSource::ByteSource(const std::string& path) : path_(path) {
  look_at(path);
  errno = 0;
  const gzFile handle = gzopen(path.c_str(), "rb");
  if (handle == nullptr) refuse(path, "a readable file", std::strerror(errno == 0 ? EIO : errno));
  file_ = std::make_unique<File>(handle, size_of_file(path));
  gzbuffer(handle, kBufferBytes);
}

ByteSource::~ByteSource() = default;

std::size_t ByteSource::read(std::span<char> buffer) {
  const int count = gzread(file_->handle, buffer.data(), static_cast<unsigned>(buffer.size()));
  if (const std::string why = file_->fault(path_); !why.empty())
    refuse(path_, why == kCut ? "a whole gzip file" : "a gzip file that can be unpacked", why);
  if (bounded_ && file_->is_packed() &&
      file_->place() > std::max(kSmallExpanded, kMostExpansion * file_->size))
    refuse(path_, "a gzip file that unpacks to at most " + std::to_string(kMostExpansion) + " times its size",
           std::to_string(file_->place()) + " bytes out of " + std::to_string(file_->size) + ", and more");
  return static_cast<std::size_t>(count);
}

std::string ByteSource::read(std::size_t most) {
  std::string bytes;
  for (std::size_t got = 1; got > 0 && bytes.size() < most;) {
    const std::size_t before = bytes.size();
    bytes.resize(std::min<std::size_t>(most, before + kBufferBytes));
    got = read(std::span(bytes).subspan(before));
    bytes.resize(before + got);
  }
  return bytes;
}

std::uint64_t ByteSource::skip(std::uint64_t most) {
  if (file_->is_packed() || file_->place() >= file_->size) return 0;
  const std::uint64_t bytes = std::min(most, file_->size - file_->place());
  return gzseek(file_->handle, static_cast<z_off_t>(bytes), SEEK_CUR) < 0 ? 0 : bytes;
}

}  // namespace spillway
