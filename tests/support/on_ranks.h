// Builds and runs the commands that start programs under mpirun.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>

namespace spillway::testing {

// A process may fork while malloc runs in another thread, but not with the sanitizers' allocators: if
// another thread (such as MPI's own) is allocating at the fork, the child may wait for the allocator's lock
// for ever.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kForksMayHang = true;
#else
inline constexpr bool kForksMayHang = false;
#endif

struct Ended {
  int status;          // -1 if a signal ended it
  std::string output;  // of all ranks and mpirun
};

inline Ended ended(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::string output;
  std::array<char, 4096> part;
  for (std::size_t got = 0; (got = fread(part.data(), 1, part.size(), pipe)) > 0;)
    output.append(part.data(), got);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
}

#ifdef SPILLWAY_MPIRUN
// Returns the text to put before a program's command, with a trailing blank. `timeout` ends programs that
// hang. Leak detection is off because OpenMPI leaks. Ranks of one machine need no TCP, whose layer would
// print lines about networks that it misses.
inline std::string on_ranks(int ranks, int seconds = 120) {
  return "ASAN_OPTIONS=detect_leaks=0 OMPI_MCA_btl=^tcp timeout -k 5 " + std::to_string(seconds) +
         " " SPILLWAY_MPIRUN " -n " + std::to_string(ranks) + " --oversubscribe " +
         (geteuid() == 0 ? "--allow-run-as-root " : "");
}
#endif

}  // namespace spillway::testing
