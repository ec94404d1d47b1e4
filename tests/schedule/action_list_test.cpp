// Action lists as text: PyTorch's own forms, exact round trips, and texts that are not actions.
#include "schedule/action_list.h"

#include <gtest/gtest.h>

#include "dualpipev_list.h"
#include "support/property.h"

namespace spillway {
namespace {

ActionLists parsed_lists(std::string_view text) {
  return std::get<ActionLists>(parse_action_lists(text));
}

std::vector<std::string> complaints_of_lists(std::string_view text) {
  const auto violations = std::get<std::vector<Violation>>(parse_action_lists(text));
  std::vector<std::string> lines;
  for (const Violation& v : violations)
    lines.push_back(v.pointer + ": expected " + v.expected + ", found " + v.found);
  return lines;
}

using Lines = std::vector<std::string>;

TEST(ActionList, ReadsEveryAction) {
  const ActionLists lists = parsed_lists(
      "2F0,2B1,2I12,13W4\n(0F7;7B3)OVERLAP_F_B\n1SEND_F3,2RECV_F3,2SEND_B3,1RECV_B3\n0UNSHARD,1RESHARD,"
      "2REDUCE_GRAD\n");
  using K = ListedKind;
  EXPECT_EQ(lists.rows,
            (std::vector<ActionRow>{{{{K::Forward, 2, 0}},
                                     {{K::Backward, 2, 1}},
                                     {{K::BackwardInput, 2, 12}},
                                     {{K::BackwardWeight, 13, 4}}},
                                    {{{K::ForwardBackward, 0, 7, 7, 3}}},
                                    {{{K::SendForward, 1, 3}},
                                     {{K::ReceiveForward, 2, 3}},
                                     {{K::SendBackward, 2, 3}},
                                     {{K::ReceiveBackward, 1, 3}}},
                                    {{{K::Unshard, 0}}, {{K::Reshard, 1}}, {{K::ReduceGradients, 2}}}}));
}

// The lists are in the forms that PyTorch writes: compute_only with idle slots, compute_comms without, a row
// with one idle slot (which Python's csv module quotes), a rank without any action.
TEST(ActionList, PrintsWhatItRead) {
  for (const std::string text :
       {"0F0,0F1,,0B0,,0B1\n,1F0,1B0,1F1,1B1\n",
        "0UNSHARD,0F0,0SEND_F0,0RECV_B0,0B0,0REDUCE_GRAD,0RESHARD\n1RECV_F0,1F0,1I0,1SEND_B0,1W0\n",
        "0F0,0B0,,,\n\"\"\n", "\n\n0F0\n", "", "0F0,\r\n,1F0\r\n", testing::kDualPipeV4Ranks10Microbatches}) {
    EXPECT_EQ(to_string(parsed_lists(text)), text);
  }
}

TEST(ActionList, ToleratesBlanksQuotesAndAnUnfinishedLastLine) {
  EXPECT_EQ(to_string(parsed_lists(" 0F0 ,\t\"0B00\" \n, 1F0")), "0F0,0B0\n,1F0\n");
  EXPECT_EQ(to_string(parsed_lists("0F0\n1F0\r\n")), "0F0\n1F0\n");
}

TEST(ActionList, NamesTheNearestActionOfATypo) {
  EXPECT_EQ(complaints_of_lists("0F0,2f1\n2SENDB3,3BW7,2G0\n4,F5,0UNSHARD3,0F,REDUCEGRAD\n"),
            (Lines{"/0/1: expected an action such as 2F1, found \"2f1\"",
                   "/1/0: expected an action such as 2SEND_B3, found \"2SENDB3\"",
                   "/1/1: expected an action such as 3B7, found \"3BW7\"",
                   "/1/2: expected an action such as 2F0, found \"2G0\"",
                   "/2/0: expected an action such as 4F0, found \"4\"",
                   "/2/1: expected an action such as 0F5, found \"F5\"",
                   "/2/2: expected an action such as 0UNSHARD, found \"0UNSHARD3\"",
                   "/2/3: expected an action such as 0F0, found \"0F\"",
                   "/2/4: expected an action such as 0REDUCE_GRAD, found \"REDUCEGRAD\""}));
}

TEST(ActionList, AnOverlapIsAForwardAndAWholeBackward) {
  const std::string expected =
      "expected an overlap of a forward and a whole backward such as (0F7;7B3)OVERLAP_F_B, found ";
  EXPECT_EQ(complaints_of_lists(
                "(7B3;0F7)OVERLAP_F_B,(0F7;7I3)OVERLAP_F_B,(0F7;7B3),0F7;7B3,()OVERLAP_F_B,OVERLAP_F_B,);("),
            (Lines{"/0/0: " + expected + "\"(7B3;0F7)OVERLAP_F_B\"",
                   "/0/1: " + expected + "\"(0F7;7I3)OVERLAP_F_B\"", "/0/2: " + expected + "\"(0F7;7B3)\"",
                   "/0/3: " + expected + "\"0F7;7B3\"", "/0/4: " + expected + "\"()OVERLAP_F_B\"",
                   "/0/5: " + expected + "\"OVERLAP_F_B\"", "/0/6: " + expected + "\");(\""}));
}

TEST(ActionList, ShowsWhatItFoundShortAndPlain) {
  EXPECT_EQ(complaints_of_lists("\x1b[2J\n" + std::string(100, 'x')),
            (Lines{"/0/0: expected an action such as 0F0, found \"\\u001b[2J\"",
                   "/1/0: expected an action such as 0F0, found \"" + std::string(40, 'x') + "...\""}));
  EXPECT_EQ(complaints_of_lists("4294967296F0,0F99999999999999999999"),
            (Lines{"/0/0: expected an action such as 0F0, found \"4294967296F0\"",
                   "/0/1: expected an action such as 0F0, found \"0F99999999999999999999\""}));
}

TEST(ActionList, StopsAfterFiveHundredWrongActions) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "x,";
  const Lines lines = complaints_of_lists(text);
  ASSERT_EQ(lines.size(), 501u);
  EXPECT_EQ(lines.back(), "/: expected at most 500 violations, found 4500 more");
}

ListedAction any_action() {
  const auto number = [] { return *rc::gen::inRange<std::uint32_t>(0, 1000); };
  const auto kind = static_cast<ListedKind>(*rc::gen::inRange(0, 12));
  ListedAction action{kind, number()};
  if (kind < ListedKind::Unshard) action.microbatch = number();
  if (kind == ListedKind::ForwardBackward)
    action.backward_stage = number(), action.backward_microbatch = number();
  return action;
}

RC_GTEST_PROP(ActionList, ParsingWhatWasPrintedGivesTheLists, ()) {
  ActionLists lists;
  lists.carriage_returns = *rc::gen::arbitrary<bool>();
  const auto rows = *rc::gen::inRange(1, 5);
  for (int row = 0; row < rows; ++row) {
    lists.rows.emplace_back();
    const auto slots = *rc::gen::inRange(0, 8);
    for (int slot = 0; slot < slots; ++slot)
      lists.rows.back().push_back(*rc::gen::inRange(0, 4) == 0 ? std::nullopt : std::optional(any_action()));
  }
  RC_ASSERT(parsed_lists(to_string(lists)) == lists);
}

RC_GTEST_PROP(ActionList, NoTextIsBothListsAndRefusal, ()) {
  const auto text =
      *rc::gen::container<std::string>(rc::gen::elementOf(std::string("012FBIW(;)SEND_,,\"\n\r \xff")));
  const auto result = parse_action_lists(text);
  if (const auto* lists = std::get_if<ActionLists>(&result)) {
    RC_ASSERT(parsed_lists(to_string(*lists)) == *lists);
  } else {
    RC_ASSERT(!std::get<std::vector<Violation>>(result).empty());
  }
}

}  // namespace
}  // namespace spillway
