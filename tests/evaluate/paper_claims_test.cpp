// Tests four sentences of the paper that do not hold as they stand, by random cases or by a pipeline that
// shows it. docs/paper.md states the counts.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

#include "evaluate/evaluate.h"
#include "house/documents.h"
#include "input/experiment/experiment.h"
#include "support/pipelines.h"

namespace spillway {
namespace {

using testing::expect_said;

// Draws the same numbers on every machine.
class CaseDice {
 public:
  std::uint32_t number(std::uint32_t low, std::uint32_t high) {
    return low + static_cast<std::uint32_t>(engine_() % (high - low + 1));
  }

 private:
  std::mt19937_64 engine_{20240607};
};

std::string claim_block(const std::string& name, std::uint32_t layers, double ms,
                        const std::string& work = "") {
  const std::string each = std::to_string(ms);
  return R"({ "name": ")" + name + R"(", "layers": )" + std::to_string(layers) +
         R"(, "profile": { "forward_ms": )" + each + R"(, "input_gradient_ms": )" + each +
         R"(, "weight_gradient_ms": )" + each + " }" + work + " }";
}

// Returns an experiment whose encoder, trained or frozen, is transposed before 1F1B and has unequal
// microbatches. Transfers take no time.
std::string random_transposed(CaseDice& dice) {
  const std::uint32_t ranks = dice.number(2, 8), microbatches = dice.number(1, 24);
  std::string work;
  for (std::uint32_t m = 0; m < microbatches; ++m)
    work += (m == 0 ? "" : ", ") + std::to_string(dice.number(1, 12) * 0.25);
  const double encode = dice.number(1, 20) * 0.1, layer = dice.number(1, 4);
  const std::string trained = dice.number(0, 1) == 0 ? R"(, "trainable": false)" : "";
  return R"({ "schema": "spillway/experiment/1", "name": "case", "pipeline": { "ranks": )" +
         std::to_string(ranks) + R"(, "microbatches": )" + std::to_string(microbatches) +
         R"( }, "model": { "blocks": [ )" +
         claim_block("enc", 1, encode, R"(, "work_per_microbatch": [)" + work + "]" + trained) + ", " +
         claim_block("llm", ranks, layer) +
         R"( ] }, "schedules": [ { "name": "mpipe", "schedule": "transpose,1f1b", "owner": "min-max" } ] })";
}

struct SpillCounts {
  int cases = 0, said_free = 0, free = 0, only_spill = 0;
};

SpillCounts counted_spills() {
  SpillCounts counts;
  CaseDice dice;
  for (; counts.cases < 200; ++counts.cases) {
    const Evaluation evaluation =
        evaluate(parse_experiment(random_transposed(dice), "case.json", {}), {.run = {Engine::LongestPath}});
    const auto spill = *evaluation.schedules.front().draws.front().step.spill;
    const double exposed = spill.exposed_encoder.value(), most = spill.max_spill.value();
    counts.said_free += most == 0;
    counts.free += most == 0 && exposed <= 1e-12;
    counts.only_spill += std::abs(exposed - most) <= 1e-9 * std::max(exposed, most);
  }
  return counts;
}

// The first microbatch must be encoded before any pass of the pipeline runs, and backwards follow the
// pipeline.
TEST(PaperClaims, AnEncoderWithinItsSlackIsNotFreeNorIsTheStepLongerByItsSpillAlone) {
  const SpillCounts counts = counted_spills();
  EXPECT_GT(counts.said_free, 0);
  EXPECT_EQ(counts.free, 0);
  EXPECT_LT(counts.only_spill, counts.cases / 4);
  expect_said("docs/paper.md", "in " + std::to_string(counts.said_free - counts.free) + " of the " +
                                   std::to_string(counts.said_free) + " random cases in which it says so");
  expect_said("docs/paper.md", "in " + std::to_string(counts.only_spill) + " of " +
                                   std::to_string(counts.cases) + " random cases");
}

// Four ranks take 6 ms forward and 12 ms backward per stage; transfers of 3 ms delay nothing else. One
// microbatch goes all the way down and up before the fourth behind it may enter.
TEST(PaperClaims, TheEigenvalueIsNotTheSlowestStageWhereTransfersTakeTime) {
  const auto growth = [](double transfer) {
    const Derived derived = testing::uniform("1f1b", 4, 48);
    const GivenCosts costs = testing::uniform_costs(6, 6, 6, transfer);
    const auto steady = steady_state(derived.order, price(derived, GivenCostModel(costs, derived)).durations);
    return steady ? steady->per_microbatch().value() : -1;
  };
  EXPECT_DOUBLE_EQ(growth(0), 18);
  EXPECT_DOUBLE_EQ(growth(3), 22.5);
}

// One operation of a rank. Each message is named by its transfer.
struct Operation {
  enum class Kind { Receive, Compute, Send } kind;
  std::uint32_t message = 0;
};

using RankProgram = std::vector<Operation>;

// Returns each rank's operations: a pass follows the receives of its inputs and precedes the sends of its
// outputs.
std::vector<RankProgram> programs_of(const Order& order) {
  std::vector<RankProgram> programs;
  for (std::uint32_t rank = 0; rank < order.rank_count(); ++rank) {
    RankProgram& program = programs.emplace_back();
    for (const EventId id : order.nodes(RankId(rank))) {
      if (!order.event(id).computes()) continue;
      for (const std::uint32_t before : order.predecessors(id))
        if (order.event(EventId(before)).transfers()) program.push_back({Operation::Kind::Receive, before});
      program.push_back({Operation::Kind::Compute});
      for (const std::uint32_t after : order.successors(id))
        if (order.event(EventId(after)).transfers()) program.push_back({Operation::Kind::Send, after});
    }
  }
  return programs;
}

struct Sending {
  bool buffered;        // a send does not wait for its receive
  std::uint32_t ahead;  // a receive is posted this many passes before its own
};

// Adds the receives that a rank has posted at operation `at`: its own, and those up to `ahead` passes
// further.
void post(const RankProgram& program, std::size_t at, std::uint32_t ahead, std::set<std::uint32_t>& posted) {
  std::uint32_t passes = 0;
  for (; at < program.size() && passes <= ahead; ++at) {
    if (program[at].kind == Operation::Kind::Receive && (ahead > 0 || passes == 0))
      posted.insert(program[at].message);
    passes += program[at].kind == Operation::Kind::Compute;
    if (ahead == 0) return;
  }
}

// Returns true if every rank finishes its program.
bool ends(const std::vector<RankProgram>& programs, const Sending& how) {
  std::vector<std::size_t> at(programs.size());
  std::set<std::uint32_t> posted, sent;
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t rank = 0; rank < programs.size(); ++rank) {
      const RankProgram& program = programs[rank];
      post(program, at[rank], how.ahead, posted);
      if (at[rank] == program.size()) continue;
      const auto [kind, message] = program[at[rank]];
      const bool waits = (kind == Operation::Kind::Send && !how.buffered && !posted.contains(message)) ||
                         (kind == Operation::Kind::Receive && !sent.contains(message));
      if (kind == Operation::Kind::Send && !waits) sent.insert(message);
      if (waits) continue;
      ++at[rank];
      moved = true;
    }
  }
  for (std::size_t rank = 0; rank < programs.size(); ++rank)
    if (at[rank] < programs[rank].size()) return false;
  return true;
}

TEST(PaperClaims, AnAcyclicOrderDeadlocksWhereSendsWaitForTheirReceives) {
  int pipelines = 0, stuck = 0;
  for (std::uint32_t ranks = 2; ranks <= 8; ++ranks)
    for (std::uint32_t microbatches = 2; microbatches <= 16; ++microbatches) {
      const std::vector<RankProgram> programs =
          programs_of(testing::uniform("1f1b", ranks, microbatches).order);
      ++pipelines;
      stuck += !ends(programs, {.buffered = false, .ahead = 0});
      EXPECT_TRUE(ends(programs, {.buffered = true, .ahead = 0})) << ranks << " ranks, " << microbatches;
      EXPECT_TRUE(ends(programs, {.buffered = false, .ahead = 1})) << ranks << " ranks, " << microbatches;
    }
  EXPECT_TRUE(ends(programs_of(testing::uniform("gpipe", 4, 8).order), {.buffered = false, .ahead = 0}));
  EXPECT_GT(stuck, 0);
  expect_said("docs/paper.md",
              std::to_string(stuck) + " of " + std::to_string(pipelines) + " pipelines of 1F1B");
}

}  // namespace
}  // namespace spillway
