// bench-command PROGRAM ARGUMENT...: runs it and prints three numbers on one line: its seconds, its CPU
// seconds, and its peak memory in MB. Ends as the program does.
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>

#include "base/stopwatch.h"

extern char** environ;

namespace {

double seconds(timeval time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

int main(int argc, char** argv) {
  pid_t child{};
  const spillway::Stopwatch watch;
  if (argc < 2 || posix_spawnp(&child, argv[1], nullptr, nullptr, argv + 1, environ) != 0) {
    std::fprintf(stderr, "bench-command: no program to run\n");
    return EXIT_FAILURE;
  }
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child) return EXIT_FAILURE;
  std::printf("%.6g %.6g %.0f\n", watch.seconds(), seconds(usage.ru_utime) + seconds(usage.ru_stime),
              static_cast<double>(usage.ru_maxrss) / 1024);
  return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}
