#include "measured/files/byte_source.h"

#include <zlib.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/files.h"

namespace spillway {
namespace {

constexpr unsigned kBufferBytes = 1u << 17;

[[noreturn]] void refuse(const std::string& path, std::string expected, std::string found) {
  throw InputError({{path, "/", std::move(expected), std::move(found)}});
}

}  // namespace

// zlib's file reads plain files as they are.
struct ByteSource::File {
  gzFile handle;

  ~File() { gzclose(handle); }
};

ByteSource::ByteSource(const std::string& path) : path_(path) {
  if (is_folder(path)) refuse(path, "a file", "a directory");
  // A pipe gives its text once, and readers look at a file before they read it.
  if (is_special(path)) refuse(path, "a plain file, as it is read more than once", "a pipe or a device");
  errno = 0;
  const gzFile handle = gzopen(path.c_str(), "rb");
  if (handle == nullptr) refuse(path, "a readable file", std::strerror(errno == 0 ? EIO : errno));
  file_ = std::make_unique<File>(handle);
  gzbuffer(handle, kBufferBytes);
}

ByteSource::~ByteSource() = default;

std::size_t ByteSource::read(std::span<char> buffer) {
  const int count = gzread(file_->handle, buffer.data(), static_cast<unsigned>(buffer.size()));
  int error = Z_OK;
  const char* message = gzerror(file_->handle, &error);
  if (error == Z_BUF_ERROR) refuse(path_, "a whole gzip file", "one that ends in the middle");
  if (count < 0 || error != Z_OK)
    refuse(path_, "a gzip file that can be unpacked", error == Z_ERRNO ? std::strerror(errno) : message);
  return static_cast<std::size_t>(count);
}

}  // namespace spillway
