#include "base/memory.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>

#include "base/error.h"
#include "base/number.h"

namespace spillway {
namespace {

constexpr double kNotWorthAsking = 256e6;
constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

// Reads "MemTotal:   12345 kB"; unlimited if there is no such line.
std::uint64_t memory_in_all() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    std::uint64_t kilobytes = 0;
    if (word == "MemTotal:" && file >> kilobytes) return kilobytes * 1024;
  }
  return kUnlimited;
}

std::uint64_t number_in(const char* path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return number_from<std::uint64_t>(word).value_or(kUnlimited);  // "max"
}

// The limit of the group that a container shows as its root. If groups are nested, this is at least its own
// limit.
std::uint64_t limit_of_group() {
  return std::min(number_in("/sys/fs/cgroup/memory.max"),
                  number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
}

std::uint64_t limit_of_process() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  return limit.rlim_cur;
}

}  // namespace

std::uint64_t machine_memory() {
  return std::min({memory_in_all(), limit_of_group(), limit_of_process()});
}

std::string memory_text(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GB", bytes / 1e9);
  return text;
}

void require_memory(const std::string& what, double bytes) {
  if (bytes < kNotWorthAsking) return;
  const auto memory = static_cast<double>(machine_memory());
  if (bytes > memory)
    throw Infeasible(what + " need about " + memory_text(bytes) + " of memory, and there are " +
                     memory_text(memory));
}

}  // namespace spillway
