#include "traces/ascend/ascend_passes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace spillway {
namespace {

AscendSign sign(char letter) {
  switch (letter) {
    case '.':
      return AscendSign::Plain;
    case 'f':
      return AscendSign::Matrix;
    case 'g':
      return AscendSign::Gradient;
    case '1':
      return AscendSign::Seed;
    case '*':
      return AscendSign::Optimizer;
    case 'c':
      return AscendSign::Collective;
    case '<':
      return AscendSign::Receive;
    case '>':
      return AscendSign::Send;
    default:
      return AscendSign::PointToPoint;
  }
}

// Makes one kernel of each letter, one after the other; x is a message sent and received at once.
std::vector<AscendItem> items(const std::string& text) {
  std::vector<AscendItem> all;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto start = static_cast<std::int64_t>(10 * i);
    all.push_back({start, start + 10, 0, 0, 0, sign(text[i])});
  }
  return all;
}

enum AscendStage { First, Middle, Last };

AscendPasses inferred(const std::string& text, AscendStage stage) {
  return ascend_passes(items(text), stage == First, stage == Last);
}

// Returns the passes as "F0=..ff B0=gg".
std::string passes(const std::string& text, AscendStage stage) {
  std::string all;
  for (const AscendPass& pass : inferred(text, stage).passes)
    all += (all.empty() ? "" : " ") + std::string(pass.forward ? "F" : "B") +
           std::to_string(pass.microbatch) + "=" + text.substr(pass.first, pass.last + 1 - pass.first);
  return all;
}

// Returns the messages as "sF0@2": item 2 sends the forward of microbatch 0.
std::string messages(const std::string& text, AscendStage stage) {
  const std::vector<std::string> words = {"sF", "rF", "sB", "rB"};
  std::string all;
  for (const AscendTransfer& transfer : inferred(text, stage).transfers) {
    const auto kind =
        static_cast<std::size_t>(transfer.kind) - static_cast<std::size_t>(TraceKind::SendForward);
    all += (all.empty() ? "" : " ") + words[kind] + std::to_string(transfer.microbatch) + "@" +
           std::to_string(transfer.item);
  }
  return all;
}

TEST(AscendPasses, TheFirstStageOf1F1B) {
  const std::string text = ".ffx.ffxggxgg.c.c*";
  EXPECT_EQ(passes(text, First), "F0=.ff F1=.ff B0=gg B1=gg.");
  EXPECT_EQ(messages(text, First), "sF0@3 sF1@7 rB0@7 rB1@10");
}

TEST(AscendPasses, TheLastStageOf1F1BSplitsWhereTheLossIsSeeded) {
  const std::string text = ".xff.1.ggxff.1.ggx.c.c*";
  EXPECT_EQ(passes(text, Last), "F0=ff. B0=1.gg F1=ff. B1=1.gg");
  EXPECT_EQ(messages(text, Last), "rF0@1 sB0@9 rF1@9 sB1@17");
}

TEST(AscendPasses, WithoutASeedTheBackwardBeginsAtTheFirstGradient) {
  EXPECT_EQ(passes("xff..ggx", Last), "F0=ff.. B0=gg");
}

TEST(AscendPasses, AMiddleStageReceivesBeforeItSends) {
  const std::string text = ".xffxxffxggxggx";
  EXPECT_EQ(passes(text, Middle), "F0=ff F1=ff B0=gg B1=gg");
  EXPECT_EQ(messages(text, Middle), "rF0@1 sF0@4 rF1@5 sF1@8 rB0@8 sB0@11 rB1@11 sB1@14");
}

TEST(AscendPasses, MessagesOfOneDirectionAreNotTakenForTheOther) {
  EXPECT_EQ(messages("<ff>", Middle), "rF0@0 sF0@3");
  EXPECT_EQ(messages(">ff<", Middle), "");
  EXPECT_EQ(inferred(">ff<", Middle).missing_messages, 2u);
  EXPECT_EQ(inferred(">ff<", Middle).unused_messages, 2u);
}

TEST(AscendPasses, GPipeOnTheLastStage) {
  EXPECT_EQ(passes("xff.xff.1ggx.1ggxc", Last), "F0=ff. F1=ff. B0=1gg B1=.1gg");
}

TEST(AscendPasses, RecomputationIsPartOfTheBackward) {
  EXPECT_EQ(passes("ffxffggx", First), "F0=ff B0=ffgg");
  EXPECT_EQ(passes("xff1gffggx", Last), "F0=ff B0=1gffgg");
}

TEST(AscendPasses, ACollectiveInsideAPassDoesNotEndIt) {
  EXPECT_EQ(passes("xfcf1cgcgx", Last), "F0=fcf B0=1cgcg");
}

TEST(AscendPasses, APassEndsWithTheLastKernelToEnd) {
  std::vector<AscendItem> overlapping = items("ffx");
  overlapping[0].end_ns = 100;
  EXPECT_EQ(ascend_passes(overlapping, true, false).passes.at(0).end_ns, 100);
}

TEST(AscendPasses, NothingButMessagesIsNoPass) {
  EXPECT_EQ(passes("", First), "");
  EXPECT_EQ(passes("xxx", Middle), "");
  EXPECT_EQ(inferred("xxx", Middle).unused_messages, 3u);
}

}  // namespace
}  // namespace spillway
