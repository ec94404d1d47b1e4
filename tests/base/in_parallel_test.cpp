#include "base/in_parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "base/error.h"
#include "base/remembered.h"

namespace spillway {
namespace {

TEST(InParallel, CallsOnceForEveryIndex) {
  for (const std::size_t count : {0, 1, 2, 1000}) {
    for (const unsigned threads : {1U, 2U, 7U}) {
      std::vector<int> calls(count);
      in_parallel(count, threads, [&](std::size_t i) { ++calls[i]; });
      EXPECT_EQ(calls, std::vector<int>(count, 1)) << threads;
    }
  }
}

TEST(InParallel, ThrowsOnWhatACallThrowsAndCallsNoMore) {
  std::atomic<int> calls = 0;
  const auto third = [&](std::size_t i) {
    ++calls;
    if (i == 3) throw std::runtime_error("the fourth");
  };
  EXPECT_THROW(in_parallel(1'000'000, 2, third), std::runtime_error);
  EXPECT_LT(calls, 1'000'000);
  EXPECT_THROW(in_parallel(1, 0, third), ContractBreach);
}

TEST(Remembered, MakesAValueOnceAndKeepsItWhereItIs) {
  Remembered<int, std::vector<int>> squares;
  int made = 0;
  const auto square_of = [&](int key) -> const std::vector<int>& {
    return squares.of(key, [&] { return std::vector{++made, key * key}; });
  };
  const std::vector<int>& nine = square_of(3);
  for (int key = 0; key < 100; ++key) square_of(key);
  EXPECT_EQ(&square_of(3), &nine);
  EXPECT_EQ(nine, (std::vector{1, 9}));
  EXPECT_EQ(made, 100);
}

TEST(Remembered, ServesSeveralThreads) {
  Remembered<std::size_t, std::size_t> squares;
  std::vector<std::size_t> found(10'000);
  in_parallel(found.size(), 4,
              [&](std::size_t i) { found[i] = squares.of(i % 10, [&] { return i % 10 * (i % 10); }); });
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], i % 10 * (i % 10));
}

}  // namespace
}  // namespace spillway
