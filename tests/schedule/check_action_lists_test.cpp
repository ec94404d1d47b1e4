// Lists that are not schedules, with their exact messages; and deadlocks, against an execution of every tiny
// list.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "dualpipev_list.h"
#include "lists_support.h"
#include "schedule/waiting.h"

namespace spillway {
namespace {

using testing::list_complaints;
using testing::lists_of;
using Lines = std::vector<std::string>;

TEST(CheckActionLists, FindsNothingInGoodOnes) {
  EXPECT_EQ(list_complaints("0F0,0F1,,0B0,,0B1\n,1F0,1B0,1F1,1B1\n", 2, 2), Lines{});
  EXPECT_EQ(list_complaints("0F0,0I0,0W0\n1F0,1B0\n", 2, 1), Lines{});
  EXPECT_EQ(list_complaints(
                "0UNSHARD,0F0,0SEND_F0,0RECV_B0,0B0,0REDUCE_GRAD\n1RECV_F0,1F0,1I0,1SEND_B0,1W0\n", 2, 1),
            Lines{});
  EXPECT_EQ(list_complaints(testing::kDualPipeV4Ranks10Microbatches, 4, 10), Lines{});
}

TEST(CheckActionLists, OneRowPerRankAndAStageInEach) {
  EXPECT_EQ(list_complaints("0F0,0B0\n1F0,1B0\n", 3, 1),
            Lines{"/: expected as many rows as ranks (3), found 2"});
  EXPECT_EQ(list_complaints("0F0,0B0\n\n1F0,1B0\n,,\n", 4, 1),
            (Lines{"/1: expected the actions of at least one stage, found none",
                   "/3: expected the actions of at least one stage, found none"}));
  EXPECT_EQ(list_complaints("", 1, 1), Lines{"/: expected as many rows as ranks (1), found 0"});
}

TEST(CheckActionLists, StagesWithoutAGap) {
  EXPECT_EQ(list_complaints("2F0,2B0\n4F0,4B0\n", 2, 1),
            Lines{"/: expected actions of every stage from 0 to 4, found none of stage 0, 1, 3"});
  EXPECT_EQ(
      list_complaints("4294967295F0,4294967295B0\n", 1, 1),
      Lines{
          "/: expected actions of every stage from 0 to 4294967295, found none of stage 0, 1, 2, 3, 4, 5, 6, "
          "7 and 4294967287 more"});
}

TEST(CheckActionLists, AStageOnOneRank) {
  EXPECT_EQ(list_complaints("0F0,0F1,0B0,0B1\n1F0,1F1,1B0,0B1,1B1\n", 2, 2),
            (Lines{"/1/3: expected actions of stage 0 on one rank (most are on rank 0), found 0B1 on rank 1",
                   "/1/3: expected each action once (this one is at /0/3), found 0B1 again"}));
  EXPECT_EQ(list_complaints("0F0,0F1,0B0,1B0,1B1,0B1\n1F0,1F1,1F2,1B2,0F2,0B2\n", 2, 3),
            (Lines{"/1/4: expected actions of stage 0 on one rank (most are on rank 0), found 0F2 and "
                   "1 more on rank 1",
                   "/0/3: expected actions of stage 1 on one rank (most are on rank 1), found 1B0 and "
                   "1 more on rank 0"}));
}

TEST(CheckActionLists, EveryActionOnce) {
  EXPECT_EQ(list_complaints("0F0,0F0,0B0\n1F0,1B0,1F0\n", 2, 1),
            (Lines{"/0/1: expected each action once (this one is at /0/0), found 0F0 again",
                   "/1/2: expected each action once (this one is at /1/0), found 1F0 again"}));
  EXPECT_EQ(list_complaints("0F0,0F1,(0F1;0B0)OVERLAP_F_B,0B1\n", 1, 2),
            Lines{"/0/2: expected each action once (this one is at /0/1), found 0F1 again"});
}

TEST(CheckActionLists, NothingMissing) {
  EXPECT_EQ(list_complaints("0F0,0B0\n1F0,1F1,1B1\n", 2, 2),
            (Lines{"/0: expected also 0F1, 0B1, found no such actions",
                   "/1: expected also 1B0, found no such action"}));
  EXPECT_EQ(list_complaints("0F0,0I0,0F1,0W1\n", 1, 2),
            Lines{"/0: expected also 0W0, 0I1, found no such actions"});
  EXPECT_EQ(list_complaints("0F3,0B3\n", 1, 1000000),
            Lines{"/0: expected also 0F0, 0B0, 0F1, 0B1, 0F2, 0B2, 0F4, 0B4 and 1999990 more, found no such "
                  "actions"});
}

TEST(CheckActionLists, MicrobatchesOfTheStep) {
  EXPECT_EQ(list_complaints("0F0,0F1,0B0,0B1\n", 1, 1),
            (Lines{"/0/1: expected a microbatch from 0 to 0, found 0F1",
                   "/0/3: expected a microbatch from 0 to 0, found 0B1"}));
}

TEST(CheckActionLists, WholeOrInHalves) {
  EXPECT_EQ(
      list_complaints("0F0,0B0,0W0\n", 1, 1),
      Lines{"/0/2: expected a whole backward (B) or its halves (I and W), not both, found 0W0 beside 0B0"});
}

TEST(CheckActionLists, InAnOrderThatARankCanDo) {
  EXPECT_EQ(list_complaints("0B0,0F0,0F1,0W1,0I1\n", 1, 2),
            (Lines{"/0/0: expected 0F0 before 0B0, found it at /0/1",
                   "/0/3: expected 0I1 before 0W1, found it at /0/4"}));
  EXPECT_EQ(list_complaints("(0F0;0B0)OVERLAP_F_B\n", 1, 1),
            Lines{"/0/0: expected 0F0 before 0B0, found it at /0/0"});
}

TEST(CheckActionLists, TransfersHaveTwoEnds) {
  EXPECT_EQ(list_complaints("0F0,0SEND_F0,0B0\n1F0,1B0,1SEND_B0\n", 2, 1),
            (Lines{"/0/1: expected its other end 1RECV_F0 on rank 1, found 0SEND_F0 alone",
                   "/1/2: expected its other end 0RECV_B0 on rank 0, found 1SEND_B0 alone"}));
  EXPECT_EQ(list_complaints(
                "0SEND_B0,0F0,1RECV_F0,0B0,0SEND_F0,0SEND_F0\n1RECV_F0,1F0,1SEND_F0,1B0,7RECV_F0\n", 2, 1),
            (Lines{"/0/0: expected a transfer between two stages (this is the last one), found 0SEND_B0",
                   "/0/2: expected transfers of this rank's stages, found 1RECV_F0",
                   "/0/5: expected each transfer once (this one is at /0/4), found 0SEND_F0 again",
                   "/1/0: expected each transfer once (this one is at /0/2), found 1RECV_F0 again",
                   "/1/2: expected a transfer between two stages (this is the last one), found 1SEND_F0",
                   "/1/4: expected transfers of this rank's stages, found 7RECV_F0"}));
  EXPECT_EQ(list_complaints("0F0,0SEND_F0,1F0,1B0,0B0\n", 1, 1),
            Lines{"/0/1: expected no transfer, since stage 1 is on the same rank, found 0SEND_F0"});
}

const std::string kCircle =
    "expected an order that does not deadlock, found a cycle of ranks: each waits in its [action] for an "
    "<action> that the next rank runs later\n";

TEST(Deadlock, TwoRanksThatWaitForEachOther) {
  EXPECT_EQ(list_complaints("0F0,,0B0,0F1,0B1\n1F0,1F1,1B0,1B1\n", 2, 2),
            Lines{"/0/2: " + kCircle +
                  "rank 0, slot 2  0F0  [0B0] <0F1>  0B1  waits for 1B0\n"
                  "rank 1, slot 1  1F0  [1F1] <1B0>  1B1  waits for 0F1"});
}

// Ranks 0 and 3 are stuck too, but they only wait for the circle.
TEST(Deadlock, ShowsTheCircleAndNoBystanders) {
  EXPECT_EQ(list_complaints("0F0,0F1,0F2,0B0,0B1,0B2\n1F0,1F1,1B0,1F2,1B1,1B2\n2F0,2F2,2F1,2B0,2B1,2B2\n"
                            "3F0,3F1,3B0,3F2,3B1,3B2\n",
                            4, 3),
            Lines{"/1/2: " + kCircle +
                  "rank 1, slot 2  1F0   1F1  [1B0] <1F2>  1B1  waits for 2B0\n"
                  "rank 2, slot 1        2F0  [2F2]  2F1  <2B0> waits for 1F2"});
}

// The lists are a V of two ranks: rank 1 holds the two stages at the bottom.
TEST(Deadlock, ARankThatWaitsForItself) {
  EXPECT_EQ(list_complaints("0F0,3F0,3B0,0B0\n2F0,1F0,2B0,1B0\n", 2, 1),
            Lines{"/1/0: " + kCircle + "rank 1, slot 0 [2F0] <1F0>  2B0  waits for 1F0"});
}

TEST(Deadlock, WhatStandsFarOffIsShownBehindDots) {
  EXPECT_EQ(list_complaints(
                "0F0,0SEND_F0,0B0,0F1,0F2,0F3,0B1,0B2,0B3\n1RECV_F0,1F0,1F3,1F2,1F1,1B0,1B1,1B2,1B3\n", 2, 4),
            Lines{"/0/2: " + kCircle +
                  "rank 0, slot 2  0F0  [0B0]  0F1   0F2  ... <0F3> waits for 1B0\n"
                  "rank 1, slot 2  1F0  [1F3]  1F2   1F1  ... <1B0> waits for 0F3"});
}

// The overlaps have high numbers: as many cells fit on either side as the width allows, two, one or none.
TEST(Deadlock, PicturesKeepToTheirColumns) {
  const ActionLists lists = lists_of(
      "(0F10;1B10)OVERLAP_F_B,(0F11;1B11)OVERLAP_F_B,(0F12;1B12)OVERLAP_F_B,(0F13;1B13)OVERLAP_F_B\n"
      "(2F10;3B10)OVERLAP_F_B,(2F11;3B11)OVERLAP_F_B,(2F12;3B12)OVERLAP_F_B,(2F13;3B13)OVERLAP_F_B\n");
  const std::vector<ListWait> circle = {{{0, 1}, {1, 3}}, {{1, 2}, {0, 2}}};
  EXPECT_EQ(circle_picture(lists, circle, 120),
            "rank 0, slot 1                (0F10;1B10)  [(0F11;1B11)] <(0F12;1B12)>  (0F13;1B13)  waits for "
            "(2F13;3B13)\n"
            "rank 1, slot 2  (2F10;3B10)   (2F11;3B11)  [(2F12;3B12)] <(2F13;3B13)>               waits for "
            "(0F12;1B12)\n");
  EXPECT_EQ(circle_picture(lists, circle, 100),
            "rank 0, slot 1  (0F10;1B10)  [(0F11;1B11)] <(0F12;1B12)> waits for (2F13;3B13)\n"
            "rank 1, slot 2  (2F11;3B11)  [(2F12;3B12)] <(2F13;3B13)> waits for (0F12;1B12)\n");
  EXPECT_EQ(circle_picture(lists, circle, 60),
            "rank 0, slot 1 [(0F11;1B11)] ... <(0F12;1B12)> waits for (2F13;3B13)\n"
            "rank 1, slot 2 [(2F12;3B12)] ... <(2F13;3B13)> waits for (0F12;1B12)\n");
}

// Visits every order of the given actions on each of two ranks.
template <class Visit>
void for_every_order(std::vector<std::string> first, std::vector<std::string> second, Visit visit) {
  const auto row = [](const std::vector<std::string>& cells) {
    std::string text;
    for (const std::string& cell : cells) text += (text.empty() ? "" : ",") + cell;
    return text + '\n';
  };
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  do {
    do visit(row(first) + row(second));
    while (std::next_permutation(second.begin(), second.end()));
  } while (std::next_permutation(first.begin(), first.end()));
}

// The slow obvious version: any rank whose next action has all its needs executes it, until none can.
bool runs_to_its_end(const ActionLists& lists, std::uint32_t last_stage) {
  std::set<std::tuple<char, std::uint32_t, std::uint32_t>> done;
  const auto ready = [&](const ListedAction& a) {
    const auto has = [&](char what, std::uint32_t stage) {
      return done.contains({what, stage, a.microbatch});
    };
    if (a.kind == ListedKind::Forward) return a.stage == 0 || has('F', a.stage - 1);
    if (a.kind == ListedKind::BackwardWeight) return has('I', a.stage);
    return has('F', a.stage) && (a.stage == last_stage || has('I', a.stage + 1));
  };
  std::vector<std::size_t> next(lists.rows.size(), 0);
  for (bool advances = true; advances;) {
    advances = false;
    for (std::size_t rank = 0; rank < next.size(); ++rank) {
      if (next[rank] == lists.rows[rank].size() || !ready(*lists.rows[rank][next[rank]])) continue;
      const ListedAction& a = *lists.rows[rank][next[rank]++];
      const char what = a.kind == ListedKind::Forward          ? 'F'
                        : a.kind == ListedKind::BackwardWeight ? 'W'
                                                               : 'I';
      done.insert({what, a.stage, a.microbatch});
      advances = true;
    }
  }
  for (std::size_t rank = 0; rank < next.size(); ++rank)
    if (next[rank] < lists.rows[rank].size()) return false;
  return true;
}

struct Counts {
  int good = 0, misordered = 0, deadlocked = 0;
};

// Checks the circle: every waiting rank's action lacks the action that it waits for, which the next rank has
// not reached.
void expect_circle(const ActionLists& lists, std::uint32_t microbatches) {
  const std::vector<ListWait> circle = waiting_circle(lists, microbatches);
  ASSERT_FALSE(circle.empty());
  for (std::size_t i = 0; i < circle.size(); ++i) {
    const ListWait& next = circle[(i + 1) % circle.size()];
    EXPECT_EQ(circle[i].awaited.rank, next.waiting.rank);
    EXPECT_GE(circle[i].awaited.slot, next.waiting.slot);
  }
}

// A list is refused if and only if its execution gets stuck. It is refused as a circle only if no single rank
// has its actions in an impossible order.
Counts check_every_order(const std::vector<std::string>& first, const std::vector<std::string>& second,
                         std::uint32_t microbatches, std::uint32_t last_stage) {
  Counts counts;
  for_every_order(first, second, [&](const std::string& text) {
    const ActionLists lists = lists_of(text);
    const std::vector<Violation> violations = check_action_lists(lists, 2, microbatches);
    EXPECT_EQ(violations.empty(), runs_to_its_end(lists, last_stage)) << text;
    if (violations.empty()) {
      ++counts.good;
    } else if (violations[0].expected != "an order that does not deadlock") {
      ++counts.misordered;
    } else {
      ++counts.deadlocked;
      expect_circle(lists, microbatches);
    }
  });
  return counts;
}

TEST(Deadlock, EveryOrderOfTwoRanksAndTwoMicrobatches) {
  const Counts counts = check_every_order({"0F0", "0F1", "0B0", "0B1"}, {"1F0", "1F1", "1B0", "1B1"}, 2, 1);
  // In 6 of a rank's 24 orders each forward is before its backward.
  EXPECT_EQ(counts.misordered, 24 * 24 - 6 * 6);
  EXPECT_EQ(counts.good + counts.deadlocked, 6 * 6);
  EXPECT_GT(counts.good, 0);
  EXPECT_GT(counts.deadlocked, 0);
}

// One microbatch has a single order through a V.
TEST(Deadlock, EveryOrderOfAV) {
  const Counts counts = check_every_order({"0F0", "3F0", "0B0", "3B0"}, {"1F0", "2F0", "1B0", "2B0"}, 1, 3);
  EXPECT_EQ(counts.good, 1);
  EXPECT_EQ(counts.misordered, 24 * 24 - 6 * 6);
}

// In 10 of rank 0's 120 orders F comes before I before W, and the other F before B.
TEST(Deadlock, EveryOrderWithASplitBackward) {
  const Counts counts =
      check_every_order({"0F0", "0F1", "0B0", "0I1", "0W1"}, {"1F0", "1F1", "1B0", "1B1"}, 2, 1);
  EXPECT_EQ(counts.good + counts.deadlocked, 10 * 6);
  EXPECT_GT(counts.good, 0);
  EXPECT_GT(counts.deadlocked, 0);
}

}  // namespace
}  // namespace spillway
