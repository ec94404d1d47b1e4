#include "schedule/schedule.h"

#include <gtest/gtest.h>

namespace spillway {
namespace {

using Lines = std::vector<std::string>;

Schedule parsed(const std::string& text) {
  return std::get<Schedule>(parse_schedule(text));
}

Lines lines(const std::vector<Violation>& violations) {
  Lines lines;
  for (const Violation& violation : violations) lines.push_back(to_string(violation));
  return lines;
}

Lines refusal(const std::string& text) {
  return lines(std::get<std::vector<Violation>>(parse_schedule(text)));
}

TEST(ParseSchedule, ReadsOneSkeletonPerRegion) {
  EXPECT_EQ(parsed("transpose,1f1b").skeletons,
            (std::vector<Skeleton>{SkeletonKind::Transpose, SkeletonKind::OneFOneB}));
  EXPECT_EQ(parsed("wave(12)").skeletons, (std::vector<Skeleton>{{SkeletonKind::Wave, 12}}));
  EXPECT_EQ(parsed("  gpipe , gpipe"), parsed("gpipe,gpipe"));
}

TEST(ParseSchedule, NamesEveryUnknownSkeleton) {
  std::string expected = ": /schedule: expected comma-separated skeletons out of ";
  for (const SkeletonKind kind : kEverySkeleton) {
    const bool waves = kind == SkeletonKind::Wave;
    expected += std::string(traits_of(kind).name) + (waves ? "(w) with w of at least 1, " : ", ");
  }
  expected += "found ";
  EXPECT_EQ(refusal("2f1b,gpipe,,zigzag,wave(0),wave(-1),wave(2"),
            (Lines{expected + "\"2f1b\"", expected + "\"\"", expected + "\"zigzag\"",
                   expected + "\"wave(0)\"", expected + "\"wave(-1)\"", expected + "\"wave(2\""}));
}

TEST(ParseSchedule, CaseDoesNotMatter) {
  EXPECT_EQ(parsed("Transpose,1F1B"), parsed("transpose,1f1b"));
  EXPECT_EQ(parsed("ZB_H1"), parsed("zb-h1"));
  EXPECT_EQ(parsed("Wave(2)"), parsed("wave(2)"));
}

// A common name is refused with the schedule's text here, and that text parses.
TEST(ParseSchedule, OtherNamesAreAnsweredWithTheText) {
  for (const auto& [name, text] :
       {std::pair{"mpipe", "transpose,1f1b"}, std::pair{"Interleaved", "1f1b,1f1b"},
        std::pair{"VPP", "1f1b,1f1b"}, std::pair{"afab", "gpipe"}, std::pair{"DualPipe-V", "dualpipev"},
        std::pair{"disttrain", "1f1b"}}) {
    const Lines lines = refusal(name);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_TRUE(lines[0].starts_with(": /schedule: expected \"" + std::string(text) + '"')) << lines[0];
    EXPECT_TRUE(lines[0].ends_with(", found \"" + std::string(name) + '"')) << lines[0];
    EXPECT_FALSE(parsed(text).skeletons.empty());
  }
  EXPECT_EQ(refusal("wave"),
            Lines{": /schedule: expected \"wave(w)\" with w waves, such as \"wave(2)\", found \"wave\""});
}

TEST(ParseSchedule, AnEmptyTextHoldsNoSkeleton) {
  for (const char* text : {"", "   ", ","}) EXPECT_FALSE(refusal(text).empty()) << '"' << text << '"';
}

TEST(ParseSchedule, ATrailingCommaAsksForASkeleton) {
  EXPECT_EQ(refusal("1f1b,").size(), 1U);
}

TEST(Layout, OnlyTransposeReplicates) {
  EXPECT_EQ(layout_of(SkeletonKind::Transpose), Layout::Replicated);
  EXPECT_EQ(layout_of(SkeletonKind::OneFOneB), Layout::Sharded);
  EXPECT_EQ(layout_of(SkeletonKind::GPipe), Layout::Sharded);
}

const Model kOneBlock({{"llm", Role::Backbone, 70, true}});

TEST(NormalForm, AdjacentTransposesAreOneRegion) {
  const NormalForm normal = normal_form(kOneBlock, parsed("transpose,transpose"), {{4}});
  EXPECT_EQ(to_string(normal.schedule), "transpose");
  EXPECT_EQ(normal.cut, Cut{});
  ASSERT_EQ(normal.reductions.size(), 1U);
  EXPECT_EQ(normal.reductions[0].region, 1U);
  EXPECT_EQ(normal.reductions[0].boundary, 4U);
}

TEST(NormalForm, ReductionsArePositionsAsTheUserWroteThem) {
  const NormalForm normal =
      normal_form(kOneBlock, parsed("1f1b,transpose,transpose,transpose,1f1b,transpose,transpose"),
                  {{10, 20, 30, 40, 50, 60}});
  EXPECT_EQ(to_string(normal.schedule), "1f1b,transpose,1f1b,transpose");
  EXPECT_EQ(normal.cut, (Cut{{10, 40, 50}}));
  ASSERT_EQ(normal.reductions.size(), 3U);
  EXPECT_EQ(normal.reductions[0].region, 2U);
  EXPECT_EQ(normal.reductions[0].boundary, 20U);
  EXPECT_EQ(normal.reductions[1].region, 3U);
  EXPECT_EQ(normal.reductions[1].boundary, 30U);
  EXPECT_EQ(normal.reductions[2].region, 6U);
  EXPECT_EQ(normal.reductions[2].boundary, 60U);
}

// Two towers of 4 and 2 layers feed a backbone; a generator follows.
const Model kTowers({{"vision", Role::Encoder, 4, true, true},
                     {"audio", Role::Encoder, 2, false},
                     {"llm", Role::Backbone, 8, true},
                     {"gen", Role::Generator, 2, true}});

std::string normal_of_towers(const std::string& schedule, const Cut& cut) {
  const NormalForm normal = normal_form(kTowers, parsed(schedule), cut);
  std::string text = to_string(normal.schedule) + " at";
  for (const std::uint32_t boundary : normal.cut.boundaries) text += ' ' + std::to_string(boundary);
  for (const Reduction& one : normal.reductions)
    text += ", without " + std::to_string(one.region) + " at " + std::to_string(one.boundary);
  return text;
}

TEST(NormalForm, TowersSideBySideAreAnInputEach) {
  const std::string both = "transpose,transpose,1f1b at 4 6";
  EXPECT_EQ(normal_of_towers("transpose,1f1b", {{6}}), both);
  EXPECT_EQ(normal_of_towers("transpose,transpose,1f1b", {{4, 6}}), both);
  EXPECT_EQ(normal_of_towers("transpose,transpose,transpose,1f1b", {{2, 4, 6}}), both + ", without 1 at 2");
  EXPECT_EQ(normal_of_towers("transpose,1f1b,transpose", {{6, 14}}),
            "transpose,transpose,1f1b,transpose at 4 6 14");
}

// A tower that is cut is one input with its part.
TEST(NormalForm, ACutTowerIsAnInputWithItsPart) {
  EXPECT_EQ(normal_of_towers("transpose,1f1b", {{5}}), "transpose,transpose,1f1b at 4 5");
  EXPECT_EQ(normal_of_towers("transpose,1f1b", {{4}}), "transpose,1f1b at 4");
  EXPECT_EQ(normal_of_towers("transpose,transpose,1f1b", {{2, 4}}), "transpose,1f1b at 4, without 1 at 2");
}

// The block that reads the towers is transposed with them, so the region cannot be taken apart.
TEST(NormalForm, TowersAndTheBlockThatReadsThemAreOneInput) {
  EXPECT_EQ(normal_of_towers("transpose,1f1b", {{7}}), "transpose,1f1b at 7");
  EXPECT_EQ(normal_of_towers("transpose,transpose,1f1b", {{4, 7}}), "transpose,1f1b at 7, without 1 at 4");
  EXPECT_EQ(normal_of_towers("transpose", {}), "transpose at");
}

TEST(NormalForm, PipelinedTowersStayAsTheyAre) {
  EXPECT_EQ(normal_of_towers("1f1b,transpose,1f1b", {{4, 6}}), "1f1b,transpose,1f1b at 4 6");
  EXPECT_EQ(normal_of_towers("transpose,1f1b,1f1b", {{4, 6}}), "transpose,1f1b,1f1b at 4 6");
}

TEST(NormalForm, ThePapersValidSchedulesAreTheirOwn) {
  for (const char* text : {"transpose,1f1b", "transpose,1f1b,transpose", "1f1b,1f1b,1f1b", "gpipe"}) {
    const Schedule schedule = parsed(text);
    Cut cut;
    for (std::uint32_t i = 1; i < schedule.skeletons.size(); ++i) cut.boundaries.push_back(i);
    const NormalForm normal = normal_form(kOneBlock, schedule, cut);
    EXPECT_EQ(to_string(normal.schedule), text);
    EXPECT_EQ(normal.cut, cut);
    EXPECT_TRUE(normal.reductions.empty());
  }
}

TEST(ShardedRuns, AreMaximal) {
  const std::vector<ShardedRun> runs = sharded_runs(parsed("1f1b,1f1b,transpose,gpipe,transpose,1f1b"));
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0].first, 0U);
  EXPECT_EQ(runs[0].end, 2U);
  EXPECT_EQ(runs[0].skeleton, SkeletonKind::OneFOneB);
  EXPECT_EQ(runs[1].first, 3U);
  EXPECT_EQ(runs[1].end, 4U);
  EXPECT_EQ(runs[1].skeleton, SkeletonKind::GPipe);
  EXPECT_EQ(runs[2].first, 5U);
  EXPECT_EQ(runs[2].end, 6U);
  EXPECT_TRUE(sharded_runs(parsed("transpose")).empty());
}

TEST(CheckSchedule, ListsEveryMixedSkeletonOfEveryRun) {
  const std::string begin =
      ": /schedule: expected one skeleton in a run of adjacent pipelined regions (region ";
  const std::string end = "; interleaved runs of mixed skeletons have no defined meaning), found ";
  EXPECT_EQ(lines(check_schedule(parsed("1f1b,gpipe,gpipe,transpose,gpipe,1f1b"))),
            (Lines{begin + "1 began it with 1f1b" + end + "gpipe in region 2",
                   begin + "1 began it with 1f1b" + end + "gpipe in region 3",
                   begin + "5 began it with gpipe" + end + "1f1b in region 6"}));
}

TEST(CheckSchedule, OnlyWovenSkeletonsTakeARunOfSeveralRegions) {
  EXPECT_EQ(lines(check_schedule(parsed("transpose,zb-v,zb-v"))),
            (Lines{": /schedule: expected one region in a run of zb-v (1f1b, 1f1b-overlap, gpipe can "
                   "interleave adjacent regions), found region 3 beside region 2"}));
}

TEST(CheckSchedule, DifferentRunsMayDiffer) {
  EXPECT_TRUE(check_schedule(parsed("1f1b,transpose,gpipe")).empty());
  EXPECT_TRUE(check_schedule(parsed("transpose,transpose,gpipe")).empty());
}

TEST(CheckSchedule, AnEmptyScheduleIsNone) {
  EXPECT_EQ(lines(check_schedule({})), (Lines{": /schedule: expected at least one skeleton, found none"}));
}

}  // namespace
}  // namespace spillway
