#include "sweep/plot/gnuplot.h"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace spillway {
namespace {

[[noreturn]] void refuse(const std::string& expected, const std::string& found) {
  throw InputError({{"gnuplot", "", expected, found}});
}

// A file in memory, so that neither program waits for the other and no file is left behind.
class MemoryFile {
 public:
  MemoryFile() : file_(::memfd_create("spillway-picture", MFD_CLOEXEC)) {
    if (file_ < 0) refuse("memory for a picture", std::strerror(errno));
  }
  ~MemoryFile() { ::close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int descriptor() const { return file_; }

  void fill(const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t written = ::write(file_, text.data() + done, text.size() - done);
      if (written < 0 && errno != EINTR) refuse("memory for a picture", std::strerror(errno));
      if (written > 0) done += static_cast<std::size_t>(written);
    }
    ::lseek(file_, 0, SEEK_SET);
  }

  std::string content() {
    ::lseek(file_, 0, SEEK_SET);
    std::string text;
    std::array<char, 65536> piece;
    for (ssize_t got; (got = ::read(file_, piece.data(), piece.size())) > 0;)
      text.append(piece.data(), static_cast<std::size_t>(got));
    return text;
  }

 private:
  int file_;
};

pid_t start(const MemoryFile& script, const MemoryFile& picture, const MemoryFile& complaints) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, script.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, picture.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, complaints.descriptor(), STDERR_FILENO);
  char name[] = "gnuplot", no_settings[] = "-d";
  char* const arguments[] = {name, no_settings, nullptr};
  pid_t process = 0;
  const int error = ::posix_spawnp(&process, name, &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) refuse("gnuplot 5.2 or later, which draws the pictures (Debian: gnuplot-nox)", "none");
  if (error != 0) refuse("a program that can be started", std::strerror(error));
  return process;
}

// Returns the exit status, or another number if the process was killed.
int wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

std::string drawn_by_gnuplot(const std::string& script) {
  MemoryFile input, picture, complaints;
  input.fill(script);
  const int status = wait_for(start(input, picture, complaints));
  std::string drawn = picture.content();
  if (status != 0 || drawn.empty())
    refuse("a picture", "exit status " + std::to_string(status) + ": " + complaints.content());
  return drawn;
}

}  // namespace spillway
