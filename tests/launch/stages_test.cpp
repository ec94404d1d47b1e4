#include "launch/command/stages.h"

#include <gtest/gtest.h>

#include "support/property.h"

namespace spillway {
namespace {

using Stages = std::vector<StageParts>;

Stages read(const std::string& text) {
  Findings findings("x");
  Stages stages = read_pipeline_layout(text, "layout", findings);
  EXPECT_TRUE(findings.empty()) << text;
  return stages;
}

TEST(PipelineLayout, IsThatOfMegatronsDocumentation) {
  // docs/user-guide/features/pipeline_parallel_layout.md: PP 16, VPP 2, 61 layers and one of prediction.
  const Stages stages = read("Et*3|(tt|)*29,m|L");
  ASSERT_EQ(stages.size(), 32u);
  EXPECT_EQ(stages[0], (StageParts{1, 3, 0, 0}));
  for (std::size_t i = 1; i < 30; ++i) EXPECT_EQ(stages[i], (StageParts{0, 2, 0, 0}));
  EXPECT_EQ(stages[30], (StageParts{0, 0, 1, 0}));
  EXPECT_EQ(stages[31], (StageParts{0, 0, 0, 1}));
}

TEST(PipelineLayout, Forms) {
  EXPECT_EQ(read("Ett|(tt|)*6mL"), read("Ett|tt|tt|tt|tt|tt|tt|mL"));
  EXPECT_EQ(read("E,t*2|(t*2|)*2,L"), read("Ett|tt|tt|L"));
  EXPECT_EQ(read("E||L").size(), 3u);
  EXPECT_EQ(read("(t|)*0EL"), read("EL"));
}

TEST(PipelineLayout, OthersAreRefusedWhereTheyBegin) {
  for (const char* text : {"Ex", "E(tt)", "E(tt", "E(t(t)*2)*2", "E)t", "t*", "t*999999", "E t",
                           "(((t*9999)*9999)*9999)*9999", "(ttttttttt)*65535"}) {
    Findings findings("x");
    EXPECT_TRUE(read_pipeline_layout(text, "layout", findings).empty()) << text;
    EXPECT_EQ(findings.all().size(), 1u) << text;
  }
}

RC_GTEST_PROP(PipelineLayout, TextReadsBackAsItsStages, ()) {
  const auto stage =
      rc::gen::map(rc::gen::tuple(rc::gen::inRange(0, 2), rc::gen::inRange(0, 4), rc::gen::inRange(0, 2),
                                  rc::gen::inRange(0, 2)),
                   [](const auto& counts) {
                     const auto& [e, t, m, l] = counts;
                     return StageParts{static_cast<std::uint32_t>(e), static_cast<std::uint32_t>(t),
                                       static_cast<std::uint32_t>(m), static_cast<std::uint32_t>(l)};
                   });
  const Stages stages = *rc::gen::nonEmpty(rc::gen::container<Stages>(stage));
  RC_ASSERT(read(pipeline_layout_text(stages)) == stages);
}

}  // namespace
}  // namespace spillway
