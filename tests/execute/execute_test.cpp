// `spillway execute` under mpirun: random programs end in their order, programs that block are ended, and bad
// input is refused. Nothing here measures how fast: the machine may be busy.
#include <gtest/gtest.h>

#include <cstdlib>
#include <future>
#include <iostream>
#include <nlohmann/json.hpp>
#include <regex>

#include "api/validate.h"
#include "execute/clock.h"
#include "execute/deadline.h"
#include "execute/played_trace.h"
#include "program/deadlock.h"
#include "tests/execute/execute_programs.h"
#include "tests/execute/virtual_play.h"
#include "traces/formats/trace_csv.h"

namespace spillway::testing {
namespace {

using Json = nlohmann::json;

// The document that rank 0 printed, among lines of mpirun.
Json document_in(const std::string& output) {
  const std::size_t begin = output.find("{\n"), end = output.rfind("\n}\n");
  if (begin == output.npos || end == output.npos) return nullptr;
  return Json::parse(output.substr(begin, end + 2 - begin), nullptr, false);
}

// The passes of a rank as its program has them, and as a trace has them: text such as "F3 of stage 1".
std::string pass_text(const char* pass, std::uint32_t stage, std::uint32_t microbatch) {
  return std::string(pass) + std::to_string(microbatch) + " of stage " + std::to_string(stage) + '\n';
}

std::string passes_of(const RankProgram& of, const std::vector<std::uint16_t>& stages) {
  static constexpr std::array kWords = {"F", "B", "I", "W", "", "F"};
  std::string text;
  for (const RankAction& action : of.actions) {
    const auto* compute = std::get_if<ComputeAction>(&action);
    if (!compute || compute->pass == ActionPass::Recompute) continue;
    text += pass_text(kWords[static_cast<std::size_t>(compute->pass)], stages[compute->at.stage.index()],
                      compute->at.microbatch.index());
    if (compute->with)
      text += pass_text("B", stages[compute->with->stage.index()], compute->with->microbatch.index());
  }
  return text;
}

std::string passes_of(const Trace& trace, const RankProgram& of) {
  std::string text;
  for (const TraceEvent& event : trace.events)
    if (is_compute(event.kind) && event.replica == of.replica.index() && event.rank == of.rank.index())
      text += pass_text(std::string(kTraceActions[static_cast<std::size_t>(event.kind)]).c_str(), event.stage,
                        event.microbatch);
  return text;
}

TEST(VirtualPlays, TakeTheLongestPath) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const Program program = random_program(seed);
    const auto end = VirtualPlay(program).end();
    ASSERT_TRUE(end) << "seed " << seed << " blocks";
    EXPECT_NEAR(end->value(), program.makespan.value(), 1e-9 * program.makespan.value()) << seed;
  }
}

class Execute : public OnRanks {};

TEST_F(Execute, RandomProgramsEndInTheirOrder) {
  for (std::uint32_t seed = 0; seed < (is_nightly() ? 200 : 4); ++seed) {
    const Program program = random_program(seed);
    const Ended end = execute(program, lasting(program, 0.3) + "--json --out " + file("out"));
    ASSERT_EQ(end.status, 0) << seed << '\n' << end.output;
    // Another process brings this line of the errors, which may come between two lines of the document.
    static const std::regex kNoPage("no report\\.html: [^\n]*\n");
    const Json document = document_in(std::regex_replace(end.output, kNoPage, ""));
    ASSERT_TRUE(document.is_object()) << end.output;
    const double predicted = document["predicted_s"].get<double>();
    EXPECT_NEAR(predicted, program.makespan > Seconds() ? 0.3 : 0, 1e-6) << seed;
    EXPECT_GE(document["measured_s"].get<double>(), predicted * (1 - 1e-9)) << seed;
    const Trace trace = read_trace_csv(file("out/trace.csv"));
    for (const RankProgram& of : program.programs)
      EXPECT_EQ(passes_of(trace, of), passes_of(of, trace_stages(program))) << seed;
  }
}

// A frozen or transposed encoder of 4 layers, then 8 trained layers.
Program behind_an_encoder(const std::string& text, bool trained) {
  const Model model({{"enc", Role::Encoder, 4, trained}, {"llm", Role::Backbone, 8, true}});
  GivenCosts costs = uniform_costs(1, 1, 1, 0.25);
  costs.blocks.push_back(costs.blocks.front());
  return with_bytes(lowered(derive(model, schedule(text), {{4}}, {.pipeline = {2, 4}}), costs));
}

// Every day each schedule with one encoder, and each encoder with a schedule.
TEST_F(Execute, WritesTracesWhoseSchedulesAreRecognised) {
  for (const bool trained : {false, true})
    for (const std::string text : {"1f1b,1f1b", "transpose,dualpipe", "transpose,dualpipev"}) {
      if (!is_nightly() && trained != (text == "transpose,dualpipe")) continue;
      const Program program = behind_an_encoder(text, trained);
      const Ended end = execute(program, lasting(program, 0.3) + "--out " + file("out"));
      ASSERT_EQ(end.status, 0) << end.output;
      ValidateArguments arguments;
      arguments.measured = file("out/trace.csv");
      EXPECT_EQ(std::get<Validation>(validate(arguments)).match.schedule, text);
    }
}

TEST_F(Execute, ManyRanksEnd) {
  const std::uint32_t ranks = is_nightly() ? 32 : 12;
  for (const std::string schedule : {"1f1b", "zb-h1", "1f1b,1f1b"}) {
    const Program program = with_bytes(lowered(schedule, ranks, ranks));
    const Ended end = execute(program, lasting(program, 1) + "--patience 30", 300);
    EXPECT_EQ(end.status, 0) << schedule << '\n' << end.output;
    if (!is_nightly()) break;
  }
}

// Rendezvous sends: what can block, as derive --check says and as it does in virtual time, blocks for real.
// The rest ends.
TEST_F(Execute, BlocksWhereRendezvousSendsBlock) {
  const std::size_t each = is_nightly() ? 250 : 2;
  std::size_t blocked = 0, ended = 0;
  for (std::uint32_t seed = 0; blocked < each || ended < each; ++seed) {
    ASSERT_LT(seed, 100 * each) << blocked << " programs block, " << ended << " end";
    const Program program = changed_program(seed);
    const bool ends = check_blocking(program, 0).safe;  // derive --check
    ASSERT_EQ(VirtualPlay(program).end().has_value(), ends) << seed;
    if ((ends ? ended : blocked)++ >= each) continue;
    const Ended end = execute(program, lasting(program, 0.1) + (ends ? "--patience 10" : "--patience 1"));
    EXPECT_EQ(end.status, ends ? 0 : 4) << seed << '\n' << end.output;
  }
}

// Both ranks send first and receive late, as large messages do not allow.
TEST_F(Execute, NamesWhatABlockedProgramWaitsFor) {
  Program program = with_bytes(lowered("1f1b", 2, 4));
  for (RankProgram& of : program.programs) {
    change(of, Change::SendsWait);
    change(of, Change::ReceivesAreLate);
  }
  const Ended end = execute(program, lasting(program, 0.1) + "--patience 1");
  EXPECT_EQ(end.status, 4);
  for (const std::string text : {"the program blocks for ever: no rank has moved for ",
                                 "  replica 0, rank 0: action 5: waits until rank 1 posts a receive for the "
                                 "output of stage 0, microbatch 1 (send 4)\n",
                                 "  replica 0, rank 1: action 32: waits until rank 0 posts a receive for the "
                                 "gradient of stage 0's output, microbatch 0 (send 31)\n"})
    EXPECT_NE(end.output.find(text), std::string::npos) << end.output;
}

// The rank without a barrier is done while the others stand at theirs.
TEST_F(Execute, BlocksIfARankLacksTheBarrier) {
  for (const std::size_t rank : {0, 1}) {
    Program program = with_bytes(lowered("1f1b", 2, 2));
    std::vector<RankAction>& actions = program.programs[rank].actions;
    ASSERT_TRUE(std::holds_alternative<BarrierAction>(actions.back()));
    actions.pop_back();
    EXPECT_FALSE(check_blocking(program, 0).safe);
    const Ended end = execute(program, lasting(program, 0.1) + "--patience 1");
    EXPECT_EQ(end.status, 4) << end.output;
    EXPECT_NE(end.output.find("rank " + std::to_string(1 - rank) + ": action "), end.output.npos)
        << end.output;
    EXPECT_NE(end.output.find("is at the barrier\n"), end.output.npos) << end.output;
  }
}

TEST_F(Execute, RefusesStepsThatNobodyWaitsFor) {
  const Ended end = execute(with_bytes(lowered("1f1b", 2, 2)), "--time-scale 1e300");
  EXPECT_EQ(end.status, 2);
  EXPECT_NE(end.output.find(
                "--time-scale: expected a factor with which the step takes at most 10^6 s, found 1e+300"),
            end.output.npos)
      << end.output;
}

// Each process of `of_ranks` (a pattern of the shell) has `signals`, a command in which $$ is its number.
std::string with_signals(const std::string& of_ranks, const std::string& signals,
                         const std::string& arguments) {
  return "sh -c 'case \"$OMPI_COMM_WORLD_RANK\" in " + of_ranks + ") (" + signals +
         ") & ;; esac; exec " SPILLWAY_PROGRAM " execute " + arguments + '\'';
}

TEST_F(Execute, EndsIfARankIsKilled) {
  const Program program = with_bytes(lowered("1f1b", 2, 4));
  const std::string arguments = written(text_of(program)) + " --time-scale 10";
  const Ended end = ended(on_ranks(2, 20) + with_signals("1", "sleep 1; kill -9 $$", arguments));
  EXPECT_EQ(end.status, 137) << end.output;
}

// Nobody knows whether the program would have blocked.
TEST_F(Execute, EndsIfARankIsStoppedAndSaysSo) {
  const Program program = with_bytes(lowered("1f1b", 2, 4));
  const std::string arguments = written(text_of(program)) + ' ' + lasting(program, 4) + "--patience 2";
  const std::vector<std::string> ranks = {"0", "1"};
  std::vector<std::future<Ended>> jobs;  // at once: they wait most of the time
  for (const std::string& rank : ranks)
    jobs.push_back(std::async(std::launch::async, [&arguments, rank] {
      return ended(on_ranks(2, 40) + with_signals(rank, "sleep 2; kill -STOP $$", arguments));
    }));
  for (const std::string& rank : ranks) {
    const Ended end = jobs[rank == "1"].get();
    EXPECT_EQ(end.status, 137) << end.output;
    EXPECT_NE(end.output.find("  the process of replica 0, rank " + rank + " (pid "), end.output.npos)
        << end.output;
    EXPECT_EQ(end.output.find("rank " + std::string(rank == "0" ? "1" : "0") + " (pid"), end.output.npos);
    EXPECT_EQ(end.output.find("blocks for ever"), end.output.npos) << end.output;
  }
}

// Rank 0 waits for rank 1, and is continued before it.
TEST_F(Execute, GoesOnIfAllRanksWereStoppedForLongerThanThePatience) {
  const Program program = with_bytes(lowered("1f1b", 2, 1));
  const std::string arguments = written(text_of(program)) + ' ' + lasting(program, 4) + "--patience 2";
  const std::string pause = "sleep 2; kill -STOP $$; sleep 6.$((5 * OMPI_COMM_WORLD_RANK)); kill -CONT $$";
  const Ended end = ended(on_ranks(2, 40) + with_signals("*", pause, arguments));
  EXPECT_EQ(end.status, 0) << end.output;
}

// In MPI's start, which a process that is stopped never leaves.
TEST(Deadlines, EndAProcessThatWaitsForLonger) {
  const auto wait = [](Seconds busy) {
    Deadline deadline([](const std::string& text) { std::cerr << text; }, 1);
    deadline.busy_until(now() + busy);
    sleep_until(now() + Seconds(3));
    std::_Exit(0);
  };
  EXPECT_EXIT(wait(Seconds(0)), ::testing::ExitedWithCode(137),
              "ended: this process has waited for the others");
  EXPECT_EXIT(wait(Seconds(4)), ::testing::ExitedWithCode(0), "");
}

TEST_F(Execute, RefusesAnotherNumberOfProcesses) {
  const std::string program = written(text_of(with_bytes(lowered("1f1b", 3, 3))));
  const Ended end = ended(on_ranks(2) + SPILLWAY_PROGRAM " execute " + program);
  EXPECT_EQ(end.status, 2);
  EXPECT_NE(end.output.find(program + ": /programs: expected 3 processes (mpirun -n 3 spillway execute " +
                            program + "; with fewer cores, mpirun needs --oversubscribe), found 2 started\n"),
            std::string::npos)
      << end.output;
  EXPECT_EQ(end.output.find("started"), end.output.rfind("started"));  // one rank says it
}

TEST_F(Execute, RefusesUnknownSizesAndSaysWhatToState) {
  const Program program = lowered("1f1b", 2, 2);
  const Ended end = execute(program, "");
  EXPECT_EQ(end.status, 2);
  EXPECT_NE(end.output.find(
                "/bytes: expected the bytes of every message (in an experiment with given durations, the "
                "\"output_bytes\" of each block's profile), found null, as in 8 of 8 ends of messages\n"),
            std::string::npos)
      << end.output;
}

TEST_F(Execute, RefusesBuffersLargerThanTheMemory) {
  Program program = with_bytes(lowered("1f1b", 2, 2));
  program.sizes[0].bytes = Bytes(1e15);
  const Ended end = execute(program, "");
  EXPECT_EQ(end.status, 2);
  EXPECT_NE(
      end.output.find(
          "four fifths of the memory, found buffers of 6000000.0 GB (6000000000000000 bytes) on all ranks"),
      std::string::npos)
      << end.output;
}

TEST_F(Execute, RefusesOptionsWithoutMeaning) {
  const std::string program = written(text_of(with_bytes(lowered("1f1b", 1, 2))));
  for (const std::string option : {"--time-scale 0", "--time-scale nan", "--patience -1"}) {
    const Ended end = ended(SPILLWAY_PROGRAM " execute " + program + ' ' + option);
    EXPECT_EQ(end.status, 2) << option;
    EXPECT_NE(end.output.find("expected a number above 0"), std::string::npos) << end.output;
  }
}

TEST_F(Execute, RefusesNumbersOfStepsThatAreNone) {
  for (const std::string steps : {"-1", "0", "2.5", "4294967296", "many"}) {
    const Ended end = ended(SPILLWAY_PROGRAM " execute program.json --steps " + steps);
    EXPECT_EQ(end.status, 2) << steps;
    EXPECT_NE(end.output.find("--steps: expected a whole number from 1 to 4294967295, found \"" + steps),
              std::string::npos)
        << end.output;
  }
}

TEST_F(Execute, RefusesAnotherVersion) {
  std::string text = text_of(with_bytes(lowered("1f1b", 1, 2)));
  text.replace(text.find("program/1"), 9, "program/9");
  const Ended end = ended(SPILLWAY_PROGRAM " execute " + written(text));
  EXPECT_EQ(end.status, 2);
  EXPECT_NE(end.output.find("/schema: expected \"spillway/program/1\""), std::string::npos) << end.output;
}

}  // namespace
}  // namespace spillway::testing
