// Programs under mpirun, as tests start them.
#pragma once

#include <unistd.h>

#include <string>

namespace spillway::testing {

// malloc is safe where a process forks. The allocators of the sanitizers are not: a child that is forked while
// another thread allocates, as MPI's own threads do, may wait for the allocator's lock for ever.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kForksMayHang = true;
#else
inline constexpr bool kForksMayHang = false;
#endif

#ifdef SPILLWAY_MPIRUN
// What stands before a program, with a blank behind. `timeout` ends what hangs. OpenMPI leaks, which the
// sanitizer is not to take for ours.
inline std::string on_ranks(int ranks, int seconds = 120) {
  return "ASAN_OPTIONS=detect_leaks=0 timeout -k 5 " + std::to_string(seconds) + " " SPILLWAY_MPIRUN " -n " +
         std::to_string(ranks) + " --oversubscribe " + (geteuid() == 0 ? "--allow-run-as-root " : "");
}
#endif

}  // namespace spillway::testing
