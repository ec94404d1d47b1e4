#include "report/step/text.h"

#include <gtest/gtest.h>

#include <iterator>
#include <limits>
#include <sstream>

#include "evaluations.h"
#include "report/inputs/images.h"
#include "report/step/explain_spill.h"
#include "report/step/memory_table.h"
#include "report/step/rank_table.h"
#include "words/duration_text.h"
#include "words/table.h"
#include "words/with_commas.h"
#include "words/wording.h"

namespace spillway::testing {
namespace {

ScheduleResult small() {
  return result_of("mpipe", two_by_two(), two_by_two_costs());
}

TEST(Table, AlignsByWhatATerminalShows) {
  EXPECT_EQ(table_text({{"name", "s"}, {"caf\u00e9", "1"}, {"cafe\u0301", "12"}, {"\u5317\u4eac!", "3"}}),
            "  name    s\n"
            "  caf\u00e9    1\n"
            "  cafe\u0301   12\n"
            "  \u5317\u4eac!   3\n");
}

TEST(Wrapped, BreaksByWhatATerminalShows) {
  EXPECT_EQ(wrapped("\u5317: ", "\u5317\u4eac \u5317 x", 9), "\u5317: \u5317\u4eac\n    \u5317 x\n");
}

TEST(TextReport, NamesTheTowersThatHaveOwners) {
  const Model model({{"vision", Role::Encoder, 1, true, true},
                     {"audio", Role::Encoder, 1, false},
                     {"llm", Role::Backbone, 2, true}});
  const BlockProfile layer = two_by_two_costs().blocks[0];
  ScheduleResult towers =
      result_of("mpipe", derive(model, schedule("transpose,1f1b"), Cut{{2}}, {.pipeline = {2, 2}}),
                {{layer, layer, layer}, Seconds(1)});
  towers.owner = "greedy";
  std::ostringstream out;
  write_text_report(out, evaluation_of(towers), {.columns = 200, .verbose = true});
  EXPECT_NE(
      out.str().find("transpose,transpose,1f1b over 2 ranks, 2 microbatches, 1 replica; owner maps of vision "
                     "and audio greedy\n"),
      std::string::npos);
}

// The three unknowns with the largest shares, if a tenth or more.
TEST(TextReport, SaysWhatAnIntervalRestsOn) {
  Evaluation evaluation = evaluation_of(small());
  const auto said = [&](std::vector<IntervalPart> parts) {
    evaluation.schedules[0].interval = StepInterval{0.9, 1.2, 100, {}, std::move(parts)};
    return text_of(evaluation);
  };
  const std::string text = said({{Unknown::Hosts, 0.5}, {Unknown::Routing, 0.3}, {Unknown::LeftOut, 0.2}});
  EXPECT_NE(text.find("the width rests on hosts (50 %)"), std::string::npos) << text;
  EXPECT_NE(text.find("(20 %)"), std::string::npos) << text;
  EXPECT_EQ(said({{Unknown::Hosts, 0.95}, {Unknown::Routing, 0.05}}).find("(5 %)"), std::string::npos);
  EXPECT_EQ(said({}).find("rests on"), std::string::npos);
}

TEST(TextReport, NamesUnitsAndLegend) {
  Evaluation evaluation = evaluation_of(small());
  evaluation.assumptions = {"the layout"};
  evaluation.fitted = {{"/model/efficiency", "baseline", Seconds(16.26), 0.4, Seconds(16.26)}};
  const std::string text = text_of(evaluation);
  for (const char* part :
       {"by hand: 1 schedule, 1 draw; baseline: mpipe", "; times in s", "12.00", "e encoder forward",
        "assumed: the layout", "fitted:  /model/efficiency = 0.4", "slack w_r"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nis not in\n" << text;
}

TEST(TextReport, WarningsStandBelowTheSchedules) {
  Evaluation evaluation = evaluation_of(small());
  evaluation.warnings = {{"for-all", "of both"}};
  evaluation.schedules[0].warnings = {{"of-one", "of it alone"}};
  const std::string text = text_of(evaluation);
  EXPECT_NE(text.find("warning: of both\nwarning: mpipe: of it alone\n"), std::string::npos) << text;
  EXPECT_EQ(text_of(evaluation_of(small())).find("warning"), std::string::npos);
}

// Figures of several replicas or draws are means, with the worst beside them.
TEST(TextReport, SeveralDrawsShowTheirSpread) {
  const std::string text =
      text_of(evaluation_of(result_of("mpipe", two_by_two(), two_by_two_costs(), {1, 3})));
  EXPECT_NE(text.find("p95"), std::string::npos) << text;
  EXPECT_NE(text.find("max E_r"), std::string::npos) << text;
  EXPECT_NE(text.find("means over 1 replica and 2 draws"), std::string::npos) << text;
}

TEST(TextReport, AnotherOrderIsNamed) {
  EXPECT_EQ(text_of(evaluation_of(small())).find("in the order in which they run"), std::string::npos);
  const std::string text = text_of(evaluation_of(swapped(small())));
  EXPECT_NE(text.find("; microbatch order heaviest-first\n"), std::string::npos) << text;
  EXPECT_NE(text.find("microbatches are numbered in the order in which they run"), std::string::npos) << text;
}

TEST(TextReport, SaysWhatOverlappingIsTakenToCost) {
  const std::string assumed = "a forward and backward together: with an architecture";
  EXPECT_EQ(text_of(evaluation_of(small())).find(assumed), std::string::npos);
  const ScheduleResult dualpipev = result_of("dualpipev", uniform("dualpipev", 2, 4), uniform_costs(1, 1, 1));
  EXPECT_NE(text_of(evaluation_of(dualpipev)).find(assumed), std::string::npos);
}

ScheduleResult with_memory() {
  GivenCosts costs = two_by_two_costs();
  costs.blocks[1].activation = Bytes(10e9);
  return result_of("mpipe", two_by_two(), costs, {1, 1});
}

TEST(TextReport, MemoryStandsInTheTableAndBelowIt) {
  const std::string text = text_of(evaluation_of(with_memory()));
  EXPECT_NE(text.find("peak mem.  bubble"), std::string::npos) << text;
  EXPECT_NE(text.find("  peak memory 20 GB on rank 0 in draw 1 at 2 s: activations 20 GB\n"),
            std::string::npos)
      << text;
  const std::string without = text_of(evaluation_of(small()));
  EXPECT_EQ(without.find("peak mem.  bubble"), std::string::npos) << without;
  EXPECT_EQ(without.find("peak memory"), std::string::npos) << without;
}

Evaluation under_limit(ScheduleResult result, Bytes limit, bool stated) {
  Evaluation evaluation = evaluation_of(std::move(result));
  evaluation.memory_limit = MemoryLimit{limit, stated};
  return evaluation;
}

TEST(MemoryTable, SaysWhatIsAboveTheLimit) {
  ScheduleResult result = with_memory();
  result.draws[1].memory[1].parts.working = Bytes(50e9);
  const auto line = [&](double limit, bool stated) {
    const Evaluation evaluation = under_limit(result, Bytes(limit), stated);
    return memory_line(evaluation, evaluation.schedules[0], 200);
  };
  EXPECT_EQ(line(60e9, false),
            "  peak memory 60 GB on rank 1 in draw 2 at 3 s: activations 10 GB, working 50 GB\n");
  EXPECT_TRUE(line(59e9, false).ends_with("; above the accelerator's 59 GB\n"));
  EXPECT_TRUE(line(59e9, true).ends_with("; above the limit of 59 GB\n"));
}

TEST(MemoryTable, MarksWhatDoesNotFit) {
  const auto mark = [](const Evaluation& evaluation) {
    return memory_mark(evaluation, evaluation.schedules[0]);
  };
  EXPECT_EQ(mark(under_limit(with_memory(), Bytes(20e9), false)), "20 GB");
  EXPECT_EQ(mark(under_limit(with_memory(), Bytes(19e9), false)), "20 GB !");
  EXPECT_EQ(mark(evaluation_of(with_memory())), "20 GB");
  EXPECT_EQ(mark(under_limit(small(), Bytes(19e9), false)), "?");
  const std::string text = text_of(under_limit(with_memory(), Bytes(19e9), false));
  EXPECT_NE(text.find("  20 GB !  "), std::string::npos) << text;
}

TEST(MemoryTable, IsRedOnATerminalWhereSomethingDoesNotFit) {
  const auto shown = [](double limit, const TextStyle& style) {
    std::ostringstream out;
    write_text_report(out, under_limit(with_memory(), Bytes(limit), false), style);
    return out.str();
  };
  const std::string red = "  \033[1;31m20 GB !\033[0m  ";
  EXPECT_NE(shown(19e9, {.colour = true}).find(red), std::string::npos) << shown(19e9, {.colour = true});
  EXPECT_EQ(shown(20e9, {.colour = true}).find("\033[1;31m"), std::string::npos);
  EXPECT_EQ(shown(19e9, {}).find('\033'), std::string::npos);
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), {}};
}

// Every part has another size, so that no two columns can change places. The waiting bytes are in the column
// of the transposed ones.
TEST(MemoryTable, HasEachPartInItsColumn) {
  ScheduleResult result = with_memory();
  result.draws.resize(1);
  MemoryParts& parts = result.draws[0].memory[0].parts;
  parts = {{Bytes(1), Bytes(2), Bytes(4)}, Bytes(8), Bytes(16), Bytes(32), Bytes(64), Bytes(128)};
  using Words = std::vector<std::string>;
  std::vector<Words> lines;  // the last column is below the others, which fill a terminal's width
  std::istringstream table(memory_table(result));
  for (std::string line; std::getline(table, line);) lines.push_back(words_of(line));
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_EQ(lines[0], (Words{"rank", "memory", "at", "parameters", "gradients", "optimizer", "activations",
                             "transposed", "working"}));
  EXPECT_EQ(lines[1], (Words{"0", "255", "B", "2.000", "s", "1", "B", "2", "B", "4", "B", "8", "B", "48", "B",
                             "64", "B"}));
  EXPECT_EQ(lines[3], (Words{"rank", "workspace"}));
  EXPECT_EQ(lines[4], (Words{"0", "128", "B"}));
}

TEST(MemoryTable, HasTheMostOfADrawAndRank) {
  ScheduleResult result = with_memory();
  result.draws.resize(2, result.draws.front());
  PeakMemory& later = result.draws[1].memory[1];
  later.parts = {{}, Bytes(40e9)};
  later.when = Seconds(7);
  EXPECT_NE(memory_table(result).find("\n  1      40 GB  7.000 s"), std::string::npos)
      << memory_table(result);
}

TEST(MemoryTable, HasARowPerRank) {
  const std::string table = memory_table(with_memory());
  for (const char* part : {"\n  0      20 GB  2.000 s", "\n  1      10 GB  3.000 s"})
    EXPECT_NE(table.find(part), std::string::npos) << part << "\nis not in\n" << table;
  EXPECT_EQ(memory_table(small()), "");
}

// Twelve seconds in twelve slices; rank 0 holds a slab of 10 GB from 1 s, two from 2 s on, one again when B1
// ends at 9 s, none at 12 s; rank 1 one from 3 to 6 s and from 6 to 9 s.
TEST(MemoryPicture, HasADigitForEverySlice) {
  EXPECT_EQ(memory_picture(with_memory(), 11 + 12),
            "  memory over time, first draw, replica 0, in tenths of 20 GB (9: nine tenths or more)\n"
            "  rank 0   059999999555\n"
            "  rank 1   000555555000\n");
  EXPECT_EQ(memory_picture(small(), 80), "");
}

TEST(DurationText, FourDigitsAndAUnit) {
  EXPECT_EQ(duration_text(Seconds(13.4219)), "13.42 s");
  EXPECT_EQ(duration_text(Seconds(0.000601)), "601.0 us");
  EXPECT_EQ(duration_text(Seconds(0.0123456)), "12.35 ms");
  EXPECT_EQ(duration_text(Seconds(1234.56)), "1235 s");
  EXPECT_EQ(duration_text(Seconds(1e30)), "1.000e+30 s");
  EXPECT_EQ(duration_text(Seconds(-123456789012)), "-1.235e+11 s");
  EXPECT_EQ(duration_text(Seconds(0)), "0 s");
}

TEST(ExplainSpill, SaysByHowMuchAndWhereOnOneLine) {
  ScheduleResult result = small();
  result.first.spill =
      SpillAccount{Seconds(0.5),
                   Seconds(0.75),
                   {{RankId(0), Seconds(0.25), Seconds()}, {RankId(3), Seconds(0.125), Seconds(0.5)}}};
  const std::string line = explain_spill(result);
  for (const char* part : {"max spill 500.0 ms", "exposed encoder 750.0 ms", "250.0 ms more",
                           "on the critical path: 125.0 ms of encoding"})
    EXPECT_NE(line.find(part), std::string::npos) << part << "\nis not in\n" << line;
  EXPECT_EQ(line.find('\n'), std::string::npos);
}

TEST(ExplainSpill, AgreementIsSaid) {
  ScheduleResult result = small();
  result.first.spill = SpillAccount{Seconds(0.5), Seconds(0.5), {}};
  EXPECT_NE(explain_spill(result).find("the same; encoder work on the critical path: none"),
            std::string::npos);
}

TEST(ExplainSpill, IsNotOfWhatTransposesNothing) {
  const ScheduleResult result = result_of("base", uniform("1f1b", 2, 2), uniform_costs(1, 1, 1));
  EXPECT_EQ(explain_spill(result), "no region is transposed in front of the pipeline, so nothing spills");
  const std::string table = rank_table(result, unit_for(result.first.timeline.makespan()));
  EXPECT_NE(table.find("-            -      -"), std::string::npos) << table;
}

TEST(Table, PutsColumnsBeyondTheLineInAPartBelow) {
  const std::string wide(40, 'x');
  EXPECT_EQ(table_text({{"a", wide, wide, "b"}, {"1", "2", "3", "4"}}),
            "  a  " + wide + "  " + wide + "  b\n  1  " + std::string(39, ' ') + "2  " +
                std::string(39, ' ') + "3  4\n");
  EXPECT_EQ(table_text({{"a", wide, wide, wide}, {"1", "2", "3", "4"}}),
            "  a  " + wide + "  " + wide + "\n  1  " + std::string(39, ' ') + "2  " + std::string(39, ' ') +
                "3\n  a  " + wide + "\n  1  " + std::string(39, ' ') + "4\n");
  EXPECT_EQ(table_text({{"a"}, {"1"}}), "  a\n  1\n");
}

TEST(Wording, SharesThatRoundToNothingHaveNoSign) {
  EXPECT_EQ(percent(0.0149, 1), "1.5 %");
  EXPECT_EQ(percent(-0.0149, 1), "-1.5 %");
  EXPECT_EQ(percent(-1e-17, 1), "0.0 %");
  EXPECT_EQ(percent(-0.004, 0), "0 %");
  EXPECT_EQ(signed_percent(0.0149, 1), "+1.5 %");
  EXPECT_EQ(signed_percent(-0.0149, 0), "-1 %");
  EXPECT_EQ(signed_percent(-1e-17, 2), "0.00 %");
  EXPECT_EQ(signed_percent(0, 1), "0.0 %");
  EXPECT_EQ(signed_percent(std::numeric_limits<double>::infinity(), 1), "+inf %");
}

TEST(Wording, LargeNumbersHaveCommas) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(8'291'375'616), "8,291,375,616");
  EXPECT_EQ(usd_text(3'432'869.7), "3,432,870 USD");
}

TEST(Wording, CountsAndWraps) {
  EXPECT_EQ(counted(1, "rank"), "1 rank");
  EXPECT_EQ(counted(2, "microbatch"), "2 microbatches");
  EXPECT_EQ(wrapped("ab ", "one two three", 10), "ab one two\n   three\n");
  EXPECT_EQ(wrapped("ab ", "incomprehensible", 10), "ab incomprehensible\n");
}

// Five images of 4 patches and five of 12: mean 8, standard deviation 4.
TEST(Images, JsonByTheContract) {
  const PatchDistribution distribution{{4, 12}, {0.5, 1.0}, {}, 10, 0.25, 4, {"looks odd"}};
  EXPECT_EQ(images_json(distribution), R"({
  "images": 10,
  "videos": 0,
  "patches": {
    "p1": 4,
    "p10": 4,
    "p50": 4,
    "p90": 12,
    "p99": 12,
    "max": 12,
    "mean": 8.0,
    "cv": 0.5
  },
  "at_cap_fraction": 0.25,
  "remarks": [
    "looks odd"
  ]
}
)");
  EXPECT_NE(images_text(distribution).find("10 images"), std::string::npos);
  EXPECT_TRUE(images_text(distribution).ends_with("bound\nnote: looks odd\n"));
}

}  // namespace
}  // namespace spillway::testing
