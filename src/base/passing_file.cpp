#include "base/passing_file.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>
#include <utility>

#include "base/error.h"
#include "base/files.h"

namespace spillway {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& place, const std::string& reason) {
  throw InputError({{place.string(), "/", "a place that can be written", reason}});
}

// The existing passing files, for a signal handler, which may use only lock-free data of fixed size.
constexpr std::size_t kMostAtOnce = 1024;
constexpr std::array kEndings = {SIGINT, SIGTERM, SIGHUP};
std::array<std::atomic<const char*>, kMostAtOnce> passing_names = {};
std::atomic<pid_t> owner = 0;  // a process forked later owns none of them
static_assert(std::atomic<const char*>::is_always_lock_free && std::atomic<pid_t>::is_always_lock_free);

// The signal's action is the default one by now; it takes effect when this handler has returned.
void remove_and_end(int signal) {
  if (owner == ::getpid())
    for (const auto& slot : passing_names)
      if (const char* name = slot) ::unlink(name);
  ::raise(signal);
}

// An earlier handler of a signal is kept: it ends the process in order, or not at all.
void take_signals() {
  for (const int signal : kEndings) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) continue;
    struct sigaction ours {};
    ours.sa_handler = remove_and_end;
    ours.sa_flags = SA_RESETHAND;
    ::sigaction(signal, &ours, nullptr);
  }
}

void leave_signals() {
  for (const int signal : kEndings) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == remove_and_end)
      ::signal(signal, SIG_DFL);
  }
}

// Only their destructors remove files beyond kMostAtOnce.
void add(const char* name) {
  owner = ::getpid();
  take_signals();
  for (auto& slot : passing_names) {
    const char* none = nullptr;
    if (slot.compare_exchange_strong(none, name)) return;
  }
}

void remove(const char* name) {
  bool any = false;
  for (auto& slot : passing_names) {
    const char* known = name;
    slot.compare_exchange_strong(known, nullptr);
    any = any || slot != nullptr;
  }
  if (!any) leave_signals();
}

std::string passing_name(const std::filesystem::path& place) {
  return absolute_path(place).string() + ".part-" + std::to_string(std::random_device()());
}

// A shorter name without the place's own, for names that are too long for the file system with the ending.
std::string short_passing_name(const std::filesystem::path& place) {
  return (absolute_path(place).parent_path() / (".part-" + std::to_string(std::random_device()()))).string();
}

int make(const std::string& name) {
  return ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

}  // namespace

PassingFile::PassingFile(const std::filesystem::path& place) : place_(place), name_(passing_name(place)) {
  if (place.has_parent_path())
    if (const std::error_code error = make_folders(place.parent_path())) refuse(place, error.message());
  for (int tries = 0; descriptor_ < 0 && tries < 8; ++tries) {
    descriptor_ = make(name_);
    if (descriptor_ >= 0) break;
    if (errno != EEXIST && errno != ENAMETOOLONG) refuse(place, std::strerror(errno));
    name_ = errno == ENAMETOOLONG ? short_passing_name(place) : passing_name(place);
  }
  if (descriptor_ < 0) refuse(place, std::strerror(errno));
  add(name_.c_str());
}

PassingFile::~PassingFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  ::unlink(name_.c_str());
  remove(name_.c_str());
}

int PassingFile::take_descriptor() {
  return std::exchange(descriptor_, -1);
}

void PassingFile::replace() const {
  if (const std::error_code error = rename_file(name_, place_)) refuse(place_, error.message());
}

// Not every file system supports both ways.
bool PassingFile::put_where_free() const {
  if (::renameat2(AT_FDCWD, name_.c_str(), AT_FDCWD, place_.c_str(), RENAME_NOREPLACE) == 0) return true;
  if ((errno == EINVAL || errno == ENOSYS) && ::link(name_.c_str(), place_.c_str()) == 0) return true;
  if (errno == EEXIST) return false;
  refuse(place_, std::strerror(errno));
}

}  // namespace spillway
