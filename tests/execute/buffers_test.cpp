#include "execute/buffers.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/execute/execute_programs.h"

namespace spillway::testing {
namespace {

// One rank's messages, each with its own size.
Program program_of(const std::vector<double>& bytes, std::vector<RankAction> actions) {
  Program program = {};
  program.ranks = 1, program.microbatches = 1, program.replicas = 1;
  for (const double size : bytes) program.sizes.push_back({Bytes(size), {}});
  program.programs.push_back({ReplicaId(0), RankId(0), 0, std::move(actions)});
  return program;
}

Send send(std::uint32_t size) {
  return {{RankId(0), 0, StageId(0), StageId(1), MicrobatchId(0), false, size, Seconds()}};
}

TEST(Buffers, AreUsedAgain) {
  const Program program = program_of({4e6, 2e6}, {send(0), Wait{0}, send(1), Wait{2}});
  const BufferPlan plan = buffers_of(program, program.programs[0]);
  EXPECT_EQ(plan.bytes, std::vector<std::uint64_t>{4000000});
}

TEST(Buffers, GrowIfAFreeOneIsTooSmall) {
  const Program program = program_of({4e6, 2e6}, {send(1), Wait{0}, send(0), Wait{2}});
  EXPECT_EQ(buffers_of(program, program.programs[0]).total(), Bytes(4e6));
}

TEST(Buffers, OfExchangesHoldAPiece) {
  const Program program = program_of({}, {ReduceAction{0, StageId(0), Bytes(1e9), Seconds()}, Wait{0},
                                          ReduceAction{0, StageId(0), std::nullopt, Seconds()}, Wait{2}});
  EXPECT_EQ(buffers_of(program, program.programs[0]).total(), Bytes(kPieceBytes));
}

// Two messages on their way at the same time never share a buffer, and each fits in its own.
TEST(Buffers, OfRandomProgramsAreNeverShared) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    const Program program = random_program(seed);
    for (const RankProgram& of : program.programs) {
      const BufferPlan plan = buffers_of(program, of);
      std::map<std::uint32_t, std::uint32_t> taken;  // buffer -> action
      for (std::uint32_t i = 0; i < of.actions.size(); ++i) {
        const MessageAction* message = std::get_if<Send>(&of.actions[i]);
        if (!message) message = std::get_if<PostReceive>(&of.actions[i]);
        const auto* wait = std::get_if<Wait>(&of.actions[i]);
        if (message) {
          EXPECT_TRUE(taken.emplace(plan.of_action[i], i).second) << seed;
          EXPECT_GE(double(plan.bytes[plan.of_action[i]]), program.sizes[message->size].bytes->value());
        }
        if (wait) std::erase_if(taken, [&](const auto& each) { return each.second == wait->of; });
      }
    }
  }
}

TEST(Buffers, ThatDoNotFitAreRefused) {
  const Program program = program_of({8e9}, {send(0), Wait{0}});
  EXPECT_TRUE(check_buffers(program, 11'000'000'000).empty());
  ASSERT_EQ(check_buffers(program, 9'000'000'000).size(), 1u);
  EXPECT_EQ(check_buffers(program, 9'000'000'000)[0].found,
            "buffers of 8.0 GB (8000000000 bytes) on all ranks");
}

// 2^53 bytes each: the sum of 4,096 of them is beyond a 64-bit count, and would begin at 0 again.
TEST(Buffers, ThatNoCountHoldsAreRefused) {
  std::vector<RankAction> actions(4096, send(0));
  const Program program = program_of({kMostActionBytes.value()}, std::move(actions));
  EXPECT_EQ(buffers_of(program, program.programs[0]).total(), 4096 * kMostActionBytes);
  EXPECT_EQ(check_buffers(program, std::uint64_t{1} << 40).size(), 1u);
}

}  // namespace
}  // namespace spillway::testing
