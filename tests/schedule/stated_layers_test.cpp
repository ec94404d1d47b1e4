// Layers that action lists state, and how PyTorch's reader reads the same text.
#include "schedule/stated_layers.h"

#include <gtest/gtest.h>

#include <regex>

#include "schedule/action_list.h"
#include "support/property.h"

namespace spillway {
namespace {

using Lines = std::vector<std::string>;
using Layers = std::vector<std::uint32_t>;

ListText apart(const std::string& text) {
  return std::get<ListText>(without_stated_layers(text));
}

Lines complaints(const std::string& text) {
  Lines lines;
  const auto violations = std::get<std::vector<Violation>>(without_stated_layers(text));
  for (const Violation& v : violations)
    lines.push_back(v.pointer + ": expected " + v.expected + ", found " + v.found);
  return lines;
}

TEST(StatedLayers, StandBehindTheFirstActionOfAStageThatIsNoOverlap) {
  const std::string actions = "0F0,,0B0\n(1F0;2B0)OVERLAP_F_B,1F1,2I0\r\n";
  const std::string said = "0F0 [layers=5],,0B0\n(1F0;2B0)OVERLAP_F_B,1F1 [layers=3],2I0 [layers=1]\r\n";
  EXPECT_EQ(with_stated_layers(actions, {5, 3, 1}), said);
  EXPECT_EQ(apart(said), (ListText{actions, Layers{5, 3, 1}}));
  EXPECT_EQ(apart(actions), (ListText{actions, {}}));
}

TEST(StatedLayers, AreOfEveryStageAndOfEachOnce) {
  EXPECT_EQ(apart("0F0 [layers=5],0B0 [layers=5]\n1F0,1B0 [layers=3]\n").layers, (Layers{5, 3}));
  EXPECT_EQ(complaints("0F0 [layers=5],0B0 [layers=4]\n1F0,1B0 [layers=3]\n"),
            Lines{"/0/1: expected as many layers of stage 0 as before (5), found 4"});
  EXPECT_EQ(complaints("0F0 [layers=5],0B0\n1F0,1B0\n"),
            Lines{"/: expected the number of layers of every stage, or of none, found nothing of stage 1"});
}

TEST(StatedLayers, OtherTextsInBracketsAreRefused) {
  const std::string example =
      ": expected only the layers of an action's stage, such as 2F0 [layers=5], found ";
  for (const std::string number : {"0", "-1", "", "5.0", "4294967296"})
    EXPECT_EQ(complaints("2F0,2B0 [layers=" + number + "]\n"),
              Lines{"/0/1" + example + "another text in brackets"});
  EXPECT_EQ(complaints("2F0 [layers=5\n"), Lines{"/0/0" + example + "another text in brackets"});
  EXPECT_EQ(complaints("2F0\n(0F7;7B3)OVERLAP_F_B [layers=5]\n"),
            Lines{"/1/0" + example + "them behind (0F7;7B3)OVERLAP_F_B"});
}

// Text that is not an action is left for the reader of actions to refuse, as without layers.
TEST(StatedLayers, LeaveWhatIsNoActionAsItIs) {
  EXPECT_EQ(apart("0f0 [layers=5],0F0\n").actions, "0f0,0F0\n");
  EXPECT_EQ(apart("0F0 [5]\n").actions, "0F0 [5]\n");
  EXPECT_EQ(apart("0f0 [layers=5],0B0\n1F0 [layers=3]\n").actions, "0f0,0B0\n1F0\n");
}

// PyTorch matches the beginning of a stripped cell.
TEST(StatedLayers, AreNothingToPyTorchsReader) {
  static const std::regex action("(\\d+)(F|I|B|W)(\\d*).*");
  std::smatch parts;
  const std::string cell = "12F3 [layers=5]";
  ASSERT_TRUE(std::regex_match(cell, parts, action));
  EXPECT_EQ(parts[1].str() + parts[2].str() + parts[3].str(), "12F3");
}

RC_GTEST_PROP(StatedLayers, WhatIsSaidIsRead, ()) {
  const auto number = [](std::uint32_t below) { return *rc::gen::inRange<std::uint32_t>(0, below); };
  const std::uint32_t stages = 1 + number(5);
  Layers layers;
  std::string actions;
  for (std::uint32_t stage = 0; stage < stages; ++stage) {
    layers.push_back(1 + number(20));
    actions += std::to_string(stage) + "F0," + (number(2) == 1 ? "," : "") + std::to_string(stage) + "B0";
    actions += number(3) == 0 && stage + 1 < stages ? "," : "\n";
  }
  RC_ASSERT(apart(with_stated_layers(actions, layers)) == (ListText{actions, layers}));
  RC_ASSERT(std::holds_alternative<ActionLists>(parse_action_lists(actions)));
}

}  // namespace
}  // namespace spillway
