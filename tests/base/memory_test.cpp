#include "base/memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <string>

#include "base/error.h"

namespace spillway {
namespace {

TEST(Memory, IsSomeAndNotAll) {
  EXPECT_GT(machine_memory(), 1e6);
  EXPECT_LT(machine_memory(), 1e15);
}

TEST(Memory, WhatIsTooMuchIsRefusedWithTheSizes) {
  require_memory("4 ranks", 1e6);
  try {
    require_memory("1000 ranks and 7997 microbatches", 1e17);
    FAIL() << "a hundred petabytes";
  } catch (const Infeasible& none) {
    const std::string text = none.what();
    EXPECT_TRUE(text.starts_with(
        "1000 ranks and 7997 microbatches need about 100000000.0 GB of memory, and there are "))
        << text;
    EXPECT_TRUE(text.ends_with(" GB")) << text;
  }
}

TEST(Memory, ALimitOfTheProcessIsOne) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer's shadow maps more than any limit";
#endif
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  rlimit small = before;
  small.rlim_cur = std::uint64_t{1} << 40;  // above what the sanitizers map, apart from their shadow
  setrlimit(RLIMIT_AS, &small);
  EXPECT_LE(machine_memory(), small.rlim_cur);
  setrlimit(RLIMIT_AS, &before);
}

}  // namespace
}  // namespace spillway
