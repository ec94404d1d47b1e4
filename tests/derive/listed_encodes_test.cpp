// Passes of transposed inputs in the text of an order.
#include "derive/listed_encodes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "schedule/placed_orders.h"
#include "support/pipelines.h"
#include "support/property.h"

namespace spillway::testing {
namespace {

constexpr Pipeline kTwoByTwo{2, 2};

EncodesApart apart(const std::string& text, const Pipeline& pipeline = kTwoByTwo) {
  return std::get<EncodesApart>(without_encodes(text, pipeline));
}

// The first violation, without the empty name of its file: "/0/1: expected ..., found ...".
std::string complaint(const std::string& text) {
  const auto read = without_encodes(text, kTwoByTwo);
  const auto* violations = std::get_if<std::vector<Violation>>(&read);
  return violations ? to_string(violations->front()).substr(2) : "";
}

TEST(ListedEncodes, AreTakenOutOfTheirRows) {
  const EncodesApart read = apart("0E0,0F0,0E1,0F1,0B0,0G0,0B1,0G1\n1F0,1B0,1F1,1B1\n");
  EXPECT_EQ(read.actions, ",0F0,,0F1,0B0,,0B1,\n1F0,1B0,1F1,1B1\n");
  EXPECT_EQ(read.encodes.owners, std::vector<OwnerMap>(1, OwnerMap(2, RankId(0))));
  const std::vector<PlacedPass> first = {{0, MicrobatchId(0), false},
                                         {1, MicrobatchId(1), false},
                                         {3, MicrobatchId(0), true},
                                         {4, MicrobatchId(1), true}};
  EXPECT_EQ(read.encodes.placed, (std::vector<std::vector<PlacedPass>>{first, {}}));
}

TEST(ListedEncodes, ATextWithoutThemStaysAsItIs) {
  const std::string text = "0F0, ,0F1,0B0,\"0B1\"\r\n1F0,1SEND_F0,1B0";
  EXPECT_EQ(apart(text).actions, text);
  EXPECT_TRUE(apart(text).encodes.owners.empty());
}

TEST(ListedEncodes, SaysWhatIsWrong) {
  EXPECT_EQ(complaint("0E2,0F0\n"), "/0/0: expected a microbatch below 2, found 0E2");
  EXPECT_EQ(complaint("0F0,0E0\n0E0\n"), "/1/0: expected each pass once, found 0E0 again");
  EXPECT_EQ(complaint("0G0,0E0\n"), "/0/0: expected 0E0 before its backward on the same rank, found 0G0");
  EXPECT_EQ(complaint("0E0\n0G0\n"), "/1/0: expected 0E0 before its backward on the same rank, found 0G0");
  EXPECT_EQ(complaint("0E1\n"), "/: expected the forward of every microbatch in input 0, found no 0E0");
  EXPECT_EQ(complaint("0E0,0E1,2E0,2E1\n"),
            "/: expected the forward of every microbatch in input 1, found no 1E0");
  EXPECT_EQ(complaint("4294967295E0\n"),
            "/: expected the forward of every microbatch in input 0, found no 0E0");
}

// Any owners, and any places that ascend on each rank.
StatedEncodes any_encodes(const Pipeline& pipeline, std::uint32_t body) {
  const auto below = [](std::uint32_t end) { return *rc::gen::inRange(0U, end); };
  StatedEncodes encodes{{}, std::vector<std::vector<PlacedPass>>(pipeline.ranks)};
  for (std::uint32_t input = 0; input < 1 + below(2); ++input) {
    encodes.owners.emplace_back();
    for (std::uint32_t m = 0; m < pipeline.microbatches; ++m) {
      const std::uint32_t rank = below(pipeline.ranks);
      encodes.owners[input].push_back(RankId(rank));
      encodes.placed[rank].push_back({0, MicrobatchId(m), false, input});
      if (*rc::gen::arbitrary<bool>()) encodes.placed[rank].push_back({0, MicrobatchId(m), true, input});
    }
  }
  for (auto& placed : encodes.placed)
    for (std::size_t i = 1; i < placed.size(); ++i)
      placed[i].before = std::min(placed[i - 1].before + below(3), body);
  return encodes;
}

RC_GTEST_PROP(ListedEncodes, AreReadAsTheyAreWritten, ()) {
  const Pipeline pipeline{*rc::gen::inRange(1U, 5U), *rc::gen::inRange(1U, 6U)};
  std::string actions;
  for (std::uint32_t rank = 0; rank < pipeline.ranks; ++rank) {
    for (const char* letter : {"F", "B"})
      for (std::uint32_t m = 0; m < pipeline.microbatches; ++m)
        actions += std::to_string(rank) + letter + std::to_string(m) + ',';
    actions.back() = '\n';
  }
  const StatedEncodes encodes = any_encodes(pipeline, 2 * pipeline.microbatches);
  RC_ASSERT(apart(with_encodes(actions, encodes), pipeline).encodes == encodes);
}

struct Stated {
  Model model;
  Schedule schedule;
  DeriveOptions options;

  std::vector<Violation> violations() const { return check_encodes(model, schedule, Cut{{1}}, options); }
};

Stated stated(const std::string& text, bool trained) {
  const EncodesApart read = apart(text);
  const auto lists = std::get<ActionLists>(parse_action_lists(read.actions));
  return {Model({{"enc", Role::Encoder, 1, trained}, {"llm", Role::Backbone, 2, true}}),
          Schedule{{SkeletonKind::Transpose, listed_skeleton(placed_orders(lists))}},
          {.pipeline = kTwoByTwo, .owners = read.encodes.owners, .placed = read.encodes.placed}};
}

// The order of each rank is the row of the text.
TEST(ListedEncodes, AreDerivedWhereTheyStand) {
  const Stated one = stated("0E0,0F0,0F1,0B0,0G0,0B1\n0E1,1F0,1B0,1F1,1B1,0G1\n", true);
  ASSERT_TRUE(one.violations().empty());
  const Derived derived = derive(one.model, one.schedule, Cut{{1}}, one.options);
  std::vector<std::string> rows(2);
  for (const Event& event : derived.order.events())
    if (event.computes()) rows[event.rank.index()] += event_name(event, derived) + ' ';
  EXPECT_EQ(rows[0], "Fwd(enc,0,1) Fwd(llm,0,1) Fwd(llm,0,2) Bwd(llm,0,1) Bwd(enc,0,1) Bwd(llm,0,2) ");
  EXPECT_EQ(rows[1], "Fwd(enc,1,2) Fwd(llm,1,1) Bwd(llm,1,1) Fwd(llm,1,2) Bwd(llm,1,2) Bwd(enc,1,2) ");
}

TEST(ListedEncodes, RefusesWhatTheScheduleHasNot) {
  const std::string body = "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n";
  const auto found = [](const Stated& one) { return one.violations().at(0).found; };
  EXPECT_EQ(found(stated("0E0,0E1,1E0,1E1," + body, true)), "passes of 2");
  EXPECT_EQ(found(stated("0E0,0E1,0F0,0F1,0B0,0G0,0B1\n1F0,1B0,1F1,1B1\n", false)), "0G0");
  EXPECT_TRUE(stated("0E0,0E1," + body, false).violations().empty());
}

TEST(ListedEncodes, RefusesAnEncodeBehindTheForwardThatNeedsIt) {
  const Stated late = stated("0F0,0E0,0E1,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n", true);
  ASSERT_EQ(late.violations().size(), 1U);
  EXPECT_NE(late.violations()[0].found.find("Fwd(enc,0,1) -> "), std::string::npos)
      << late.violations()[0].found;
}

}  // namespace
}  // namespace spillway::testing
