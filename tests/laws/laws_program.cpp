// laws FIRST COUNT [LAW]: checks jobs FIRST, FIRST + 1, ... against the laws; prints a table, and every break
// with a command that reproduces it. laws JOB print: prints a job's document, which `spillway run` accepts.
// Exits 1 if a law is broken.
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

#include "check.h"

namespace {

using namespace spillway::testing;

int hold(std::uint64_t first, std::uint64_t count, const std::string& only) {
  const Checked checked = check(first, count, only);
  for (const Break& broken : checked.breaks) std::cout << to_string(broken) << '\n';
  for (const Tally& tally : checked.tallies)
    std::printf("%-22s held %6lu, said nothing %6lu, broken %6lu\n", std::string(tally.law).c_str(),
                static_cast<unsigned long>(tally.held), static_cast<unsigned long>(tally.said_nothing),
                static_cast<unsigned long>(tally.broken));
  return checked.breaks.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: laws FIRST COUNT [LAW] | laws JOB print\n";
    return 2;
  }
  try {
    const std::uint64_t first = std::stoull(argv[1]);
    if (std::string(argv[2]) == "print") {
      std::cout << job(first).document << '\n';
      return 0;
    }
    return hold(first, std::stoull(argv[2]), argc > 3 ? argv[3] : "");
  } catch (const std::exception& thrown) {
    std::cerr << "laws: " << thrown.what() << '\n';
    return 2;
  }
}
