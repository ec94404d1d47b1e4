#include "sweep/store/claims.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>

#include "base/error.h"

namespace spillway {
namespace {

// The byte of no point. Every process that has the file open holds a read lock on it.
constexpr off_t kPresence = std::numeric_limits<off_t>::max() - 1;

[[noreturn]] void refuse(const std::string& path, const std::string& expected) {
  throw InputError({{path, "/", expected, std::strerror(errno)}});
}

// Returns false with errno if the lock fails. Waits only with F_OFD_SETLKW.
bool lock(int file, short kind, off_t byte, int command = F_OFD_SETLK) {
  struct flock range {};
  range.l_type = kind;
  range.l_whence = SEEK_SET;
  range.l_start = byte;
  range.l_len = 1;
  int result = 0;
  do {
    result = ::fcntl(file, command, &range);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

// Returns true if the open file still has this name.
bool is_in_place(int file, const std::string& path) {
  struct stat opened {
  }, named{};
  return ::fstat(file, &opened) == 0 && ::stat(path.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

int open_or_make(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) refuse(path, "a place that can be written");
  if (lock(file, F_RDLCK, kPresence, F_OFD_SETLKW)) return file;
  ::close(file);
  refuse(path, "a file system with locks");
}

}  // namespace

// The last process removes the file, maybe between this one's opening and its lock.
PointClaims::PointClaims(const std::string& store) : path_(store + "-claims"), file_(open_or_make(path_)) {
  while (!is_in_place(file_, path_)) {
    ::close(file_);
    file_ = open_or_make(path_);
  }
}

PointClaims::~PointClaims() {
  const bool last = lock(file_, F_WRLCK, kPresence);
  if (last) ::unlink(path_.c_str());
  ::close(file_);
}

bool PointClaims::claim(std::size_t point) {
  if (lock(file_, F_WRLCK, static_cast<off_t>(point))) return true;
  if (errno == EAGAIN || errno == EACCES) return false;
  refuse(path_, "a file system with locks");
}

void PointClaims::release(std::size_t point) {
  lock(file_, F_UNLCK, static_cast<off_t>(point));
}

}  // namespace spillway
