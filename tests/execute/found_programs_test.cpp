// Orders that `spillway synthesize` found, as programs: they cannot block, and take the time that was found.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "api/synthesize.h"
#include "program/deadlock.h"
#include "tests/execute/execute_programs.h"
#include "tests/execute/virtual_play.h"
#include "workload/random_stream.h"

namespace spillway::testing {
namespace {

using JobJson = nlohmann::ordered_json;

// A transposed or pipelined encoder with microbatches of different sizes; the same for a seed.
JobJson random_job(std::uint32_t seed, std::uint32_t most_ranks) {
  RandomStream draw({seed});
  const auto any = [&](std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(draw.uniform() * (most - least + 1));
  };
  const std::uint32_t ranks = any(2, most_ranks), microbatches = any(2, 9);
  JobJson work = JobJson::array();
  for (std::uint32_t m = 0; m < microbatches; ++m) work.push_back(0.25 * any(1, 8));
  const auto profile = [&](double pass) {
    return JobJson{{"forward_ms", pass},
                   {"input_gradient_ms", pass},
                   {"weight_gradient_ms", pass},
                   {"output_bytes", 1000}};
  };
  const JobJson encoder = {{"name", "enc"},
                           {"role", "encoder"},
                           {"layers", ranks},
                           {"trainable", any(0, 2) > 0},
                           {"profile", profile(0.5 * any(1, 4))},
                           {"work_per_microbatch", work}};
  const JobJson backbone = {{"name", "llm"}, {"layers", 4 * ranks}, {"profile", profile(1)}};
  return {{"schema", "spillway/experiment/1"},
          {"name", "random"},
          {"pipeline", {{"ranks", ranks}, {"microbatches", microbatches}}},
          {"model", {{"blocks", {encoder, backbone}}}},
          {"network", {{"p2p_ms", 0.25}}},
          {"schedules", {{{"name", "1f1b"}, {"schedule", "1f1b"}}}}};
}

// Nothing if a named schedule that has no program is faster than every order that was tried.
std::optional<Program> found_program(std::uint32_t seed, std::uint32_t most_ranks) {
  const Source job("job.json", random_job(seed, most_ranks).dump());
  const std::string text = synthesize({.experiment = {.source = job}, .effort = 200}).program;
  return text.empty() ? std::nullopt : std::optional(read_program(Source("program.json", text)));
}

// No send of a rendezvous is buffered.
TEST(FoundPrograms, CannotBlockAndTakeTheTimeThatWasFound) {
  int played = 0;
  for (std::uint32_t seed = 0; seed < (is_nightly() ? 100 : 5); ++seed) {
    const std::optional<Program> program = found_program(seed, 8);
    if (!program) continue;
    EXPECT_TRUE(check_blocking(*program, 0).safe) << seed;
    const auto end = VirtualPlay(*program).end();
    ASSERT_TRUE(end) << "seed " << seed << " blocks";
    EXPECT_NEAR(end->value(), program->makespan.value(), 1e-9 * program->makespan.value()) << seed;
    ++played;
  }
  EXPECT_GE(played, 4);
}

class FoundProgramsOnRanks : public OnRanks {};

TEST_F(FoundProgramsOnRanks, EndUnderMpi) {
  for (std::uint32_t seed = 0; seed < (is_nightly() ? 20 : 2); ++seed) {
    const std::optional<Program> program = found_program(seed, 4);
    if (!program) continue;
    const Ended end = execute(*program, lasting(*program, 0.3));
    EXPECT_EQ(end.status, 0) << seed << '\n' << end.output;
  }
}

}  // namespace
}  // namespace spillway::testing
