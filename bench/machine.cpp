#include "bench/machine.h"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "base/cache_lines.h"
#include "timing/lane_loops.h"

namespace spillway::bench {
namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "a processor that says no name";
}

std::string kibibytes(int name) {
  const long bytes = sysconf(name);
  return bytes > 0 ? std::to_string(bytes / 1024) : "?";
}

}  // namespace

std::string machine() {
  return processor() + ", " + std::to_string(std::thread::hardware_concurrency()) + " cores, " +
         fastest_loops().name + ", caches of " + kibibytes(_SC_LEVEL1_DCACHE_SIZE) + ", " +
         kibibytes(_SC_LEVEL2_CACHE_SIZE) + " and " + kibibytes(_SC_LEVEL3_CACHE_SIZE) + " KiB";
}

double read_bandwidth(std::size_t bytes) {
  constexpr std::uint32_t kLanes = 64;
  const AlignedVector<double> array(bytes / sizeof(double), 1.0);
  const std::vector<Addend> rows = [&] {
    std::vector<Addend> all;
    for (std::uint32_t row = 0; row < array.size() / kLanes; ++row) all.push_back({row, 0});
    return all;
  }();
  AlignedVector<double> sum(kLanes);
  double least = 1e9;
  for (int pass = 0; pass < 5; ++pass) {
    const double before = cpu_seconds();
    std::size_t read = 0;
    do {
      fastest_loops().add(rows, 0, {0, array.data(), nullptr}, kLanes, sum.data());
      read += array.size() * sizeof(double);
    } while (read < 256'000'000);
    least = std::min(least, (cpu_seconds() - before) / static_cast<double>(read));
  }
  if (!(sum.front() > 0)) throw std::runtime_error("an array was not read");
  return 1 / least;
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace spillway::bench
