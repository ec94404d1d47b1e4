// What the reader of spillway/program/1 says of documents with one fault each.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "program/read_program.h"
#include "small_program.h"

namespace spillway::testing {
namespace {

TEST(ProgramReader, ReportsAnotherVersionOnce) {
  EXPECT_EQ(after([](Json& document) {
              document["schema"] = "spillway/program/2";
              document["programs"][0]["actions"][0]["op"] = "new";
            }),
            Lines{"program.json: /schema: expected \"spillway/program/1\", found \"spillway/program/2\""});
  const Lines lines = after([](Json& document) { document["schema"] = "spillway/experiment/1"; });
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].starts_with("program.json: /schema: ")) << lines[0];
}

TEST(ProgramReader, ReportsUnknownWordsAndKeys) {
  EXPECT_EQ(
      after([](Json& document) { action_of(document, 0, "send")["op"] = "post"; }).front(),
      "program.json: /programs/0/actions/2/op: expected one of \"compute\", \"post_receive\", \"send\", "
      "\"wait\", \"gather\", \"scatter\", \"broadcast\", \"loss\", \"reduce\", \"update\", \"barrier\", "
      "found \"post\"");
  EXPECT_EQ(after([](Json& document) { action_of(document, 0, "compute")["pass"] = "sideways"; }),
            Lines{"program.json: /programs/0/actions/0/pass: expected one of \"forward\", \"backward\", "
                  "\"input_gradient\", \"weight_gradient\", \"recompute\", \"fused\", found \"sideways\""});
  EXPECT_EQ(after([](Json& document) { action_of(document, 0, "compute")["microbtch"] = 1; }),
            Lines{"program.json: /programs/0/actions/0/microbtch: expected a known key, such as "
                  "\"microbatch\", found \"microbtch\""});
  EXPECT_EQ(
      after([](Json& document) { action_of(document, 0, "compute")["peer"] = 1; }),
      Lines{"program.json: /programs/0/actions/0/peer: expected a key of this \"compute\", found one that "
            "does not apply"});
}

TEST(ProgramReader, ReportsEveryMissingKey) {
  EXPECT_EQ(after([](Json& document) {
              document.erase("ranks");
              document["stages"][1].erase("rank");
              action_of(document, 0, "compute").erase("pass");
              action_of(document, 0, "send").erase("id");
              action_of(document, 0, "send").erase("bytes");
            }),
            (Lines{"program.json: /ranks: expected a value, found nothing",
                   "program.json: /stages/1/rank: expected a value, found nothing",
                   "program.json: /programs/0/actions/0/pass: expected a value, found nothing",
                   "program.json: /programs/0/actions/2/id: expected a value, found nothing",
                   "program.json: /programs/0/actions/2/bytes: expected a value, found nothing"}));
}

TEST(ProgramReader, ReportsAKeyThatIsGivenTwice) {
  std::string text = small_document().dump();
  const std::string key = "\"op\":\"compute\"";
  text.replace(text.find(key), key.size(), key + ',' + key);
  EXPECT_EQ(complaints(text),
            Lines{"program.json: /programs/0/actions/0/op: expected this key once, found it more than once"});
}

TEST(ProgramReader, ReportsIdsThatAreGivenTwice) {
  EXPECT_EQ(after([](Json& document) { action_of(document, 3, "barrier")["id"] = 0; }),
            Lines{"program.json: /programs/3/actions/" + [] {
              Json document = small_document();
              return std::to_string(index_of(document, 3, "barrier"));
            }() + "/id: expected an id that no other action has, found 0"});
}

TEST(ProgramReader, ReportsAWaitForWhatItsRankHasNotStarted) {
  const std::string started =
      "expected the id of a post_receive, send, broadcast or reduce before it in the same rank, found ";
  Json small = small_document();
  const std::string wait = "program.json: /programs/0/actions/" + std::to_string(index_of(small, 0, "wait"));
  const auto waiting_for = [&](std::uint64_t id) {
    return after([&](Json& document) { action_of(document, 0, "wait")["for"] = id; });
  };
  EXPECT_EQ(waiting_for(100'000), Lines{wait + "/for: " + started + "100000"});
  EXPECT_EQ(waiting_for(0), Lines{wait + "/for: " + started + "0, another action"});
  const std::uint64_t later = action_of(small, 0, "reduce")["id"],
                      elsewhere = action_of(small, 1, "send")["id"];
  EXPECT_EQ(waiting_for(later), Lines{wait + "/for: " + started + std::to_string(later)});
  EXPECT_EQ(waiting_for(elsewhere), Lines{wait + "/for: " + started + std::to_string(elsewhere)});
}

TEST(ProgramReader, ReportsASecondWait) {
  Json small = small_document();
  const std::string first = small["programs"][0]["actions"][index_of(small, 0, "wait")]["for"].dump();
  const std::string second = std::to_string(index_of(small, 0, "wait", 1));
  EXPECT_EQ(after([](Json& document) {
              action_of(document, 0, "wait", 1)["for"] = action_of(document, 0, "wait")["for"];
            }),
            Lines{"program.json: /programs/0/actions/" + second +
                  "/for: expected an id that is waited for once, found " + first + " again"});
}

// The last message of rank 0 has no wait of its own before the end, so that it can be left out.
void leave_out(Json& document, std::size_t program, const std::string& op, std::size_t number) {
  Json& actions = actions_of(document, program);
  const std::size_t index = index_of(document, program, op, number);
  const Json id = actions[index]["id"];
  actions.erase(index);
  for (std::size_t i = 0; i < actions.size(); ++i)
    if (actions[i].contains("for") && actions[i]["for"] == id) actions.erase(i--);
}

TEST(ProgramReader, ReportsAMessageWithOneEnd) {
  const Lines without_receive = after([](Json& document) { leave_out(document, 1, "post_receive", 1); });
  ASSERT_EQ(without_receive.size(), 1u);
  EXPECT_NE(
      without_receive[0].find("/tag: expected a tag that a post_receive of rank 1 has, too, found 1, which "
                              "none has"),
      std::string::npos)
      << without_receive[0];
  const Lines without_send = after([](Json& document) { leave_out(document, 0, "send", 1); });
  ASSERT_EQ(without_send.size(), 1u);
  EXPECT_NE(without_send[0].find("/tag: expected a tag that a send of rank 0 has, too, found 1"),
            std::string::npos)
      << without_send[0];
}

TEST(ProgramReader, ReportsEndsThatDisagree) {
  const auto changed = [](const char* key, const Json& value) {
    const Lines lines =
        after([&](Json& document) { action_of(document, 1, "post_receive", 1)[key] = value; });
    return lines.empty() ? "" : lines.front().substr(lines.front().find("/actions/"));
  };
  Json small = small_document();
  const std::string at = "/actions/" + std::to_string(index_of(small, 1, "post_receive", 1));
  const std::string send = action_of(small, 0, "send", 1)["id"].dump();
  EXPECT_EQ(changed("bytes", 5),
            at + "/bytes: expected unknown bytes, as the send " + send + " has it, found 5.0 bytes");
  EXPECT_EQ(changed("microbatch", 0),
            at + "/microbatch: expected 1, as the send " + send + " has it, found 0");
  EXPECT_EQ(changed("pass", "backward"),
            at + "/pass: expected \"forward\", as the send " + send + " has it, found \"backward\"");
  EXPECT_EQ(changed("seconds", 2),
            at + "/seconds: expected 0.25, as the send " + send + " has it, found 2.0");
  EXPECT_EQ(changed("stage_index", 1), at + "/stage_index: expected a stage of rank 0, found 1");
}

// Beyond, neighbouring counts of bytes are one double, and soon no count holds them.
TEST(ProgramReader, TakesUpTo2To53Bytes) {
  const auto with = [](double bytes) {
    return after([&](Json& document) {
      for (const std::size_t rank : {0, 1})
        for (Json& action : actions_of(document, rank))
          if (action.contains("bytes")) action["bytes"] = bytes;
    });
  };
  const auto complaint = [](const char* found) {
    return "program.json: /programs/0/actions/1/bytes: expected null or a number from 0 to 9007199254740992, "
           "found " +
           std::string(found);
  };
  EXPECT_EQ(with(9007199254740992.0), Lines{});
  EXPECT_EQ(with(9007199254740994.0).front(), complaint("9.007199254740994e+15"));
  EXPECT_EQ(with(1e30).front(), complaint("1e+30"));
}

TEST(ProgramReader, ReportsTagsOutOfOrder) {
  const Lines lines = after([](Json& document) {
    action_of(document, 0, "send", 0)["tag"] = 1;
    action_of(document, 0, "send", 1)["tag"] = 0;
  });
  ASSERT_GE(lines.size(), 2u);
  EXPECT_EQ(lines[0],
            "program.json: /programs/0/actions/2/tag: expected 0, the next of its pair of ranks, found 1");
}

TEST(ProgramReader, ReportsWhatTheProgramDoesNotHave) {
  const std::string start = "program.json: /programs/0/actions/";
  Json small = small_document();
  const std::string reduce = start + std::to_string(index_of(small, 0, "reduce"));
  const auto changed = [](const char* op, const char* key, int value) {
    return after([&](Json& document) { action_of(document, 0, op)[key] = value; }).front();
  };
  EXPECT_EQ(changed("compute", "stage_index", 2),
            start + "0/stage_index: expected a number from 0 to 1, found 2");
  EXPECT_EQ(changed("compute", "stage_index", 1),
            start + "0/stage_index: expected a stage of rank 0, found 1");
  EXPECT_EQ(changed("compute", "microbatch", 2),
            start + "0/microbatch: expected a number from 0 to 1, found 2");
  EXPECT_EQ(changed("send", "peer", 2), start + "2/peer: expected a number from 0 to 1, found 2");
  EXPECT_EQ(changed("send", "peer", 0), start + "2/peer: expected another rank, found 0");
  EXPECT_EQ(changed("reduce", "group", 2), reduce + "/group: expected a number from 0 to 1, found 2");
  EXPECT_EQ(changed("reduce", "group", 1),
            reduce + "/group: expected a group that has this rank of this replica as a member, found 1");
}

TEST(ProgramReader, ReportsGroupsWhoseMembersDiffer) {
  EXPECT_EQ(after([](Json& document) { action_of(document, 2, "reduce")["stage_index"] = 1; }).size(), 1u);
  EXPECT_EQ(after([](Json& document) { document["groups"][0]["members"][0]["rank"] = 7; }),
            Lines{"program.json: /groups/0/members/0/rank: expected a whole number from 0 to 1, found 7"});
  EXPECT_EQ(
      after([](Json& document) {
        document["groups"][0]["members"][1] = document["groups"][0]["members"][0];
      }).front(),
      "program.json: /groups/0/members/1: expected a member that the group has once, found an object with "
      "\"replica\", \"rank\"");
}

TEST(ProgramReader, ReportsProgramsThatAreMissing) {
  EXPECT_EQ(
      after([](Json& document) { document["programs"].erase(3); }).front(),
      "program.json: /programs: expected a list of 4, one for each rank of each replica, found a list of 3");
  EXPECT_EQ(after([](Json& document) { document["programs"][1]["rank"] = 0; }).front(),
            "program.json: /programs/1/rank: expected a whole number from 1 to 1, found 0");
}

TEST(ProgramReader, ReportsSamplesThatAreMissing) {
  const Json sample = Json::parse(R"({"tokens": 5, "text_tokens": 2,
      "media": [{"kind": "image", "patches": 12, "tokens": 3}]})");
  const auto with = [&](const Json& samples) {
    return after([&](Json& document) { document["samples"] = samples; });
  };
  EXPECT_EQ(with({{sample, sample}, {sample, sample}}), Lines{});
  EXPECT_EQ(with(Json::array({Json::array({sample, sample})})).front(),
            "program.json: /samples: expected a list of 2, one for each replica, found a list of 1");
  EXPECT_EQ(
      with(Json::array({Json::array({sample, sample}), Json::array({sample})})),
      Lines{"program.json: /samples/1: expected a list of 2, one for each microbatch, found a list of 1"});
  // Without a number of replicas nobody knows how many samples there are.
  EXPECT_EQ(after([&](Json& document) {
              document["samples"] = {{sample, sample}, {sample, sample}};
              document["replicas"] = std::uint64_t{1} << 33;
            }),
            Lines{"program.json: /replicas: expected a whole number from 1 to 4294967295, found 8589934592"});
  Json wrong = sample;
  wrong["media"][0]["kind"] = "song";
  EXPECT_EQ(with(Json::array({Json::array({sample, wrong}), Json::array({sample, 5})})).front(),
            "program.json: /samples/0/1/media/0/kind: expected one of \"image\", \"clip\", found \"song\"");
}

TEST(ProgramReader, RefusesActionsThatAreNoObjects) {
  for (const Json& other : {Json(5), Json("x"), Json(nullptr), Json::array({1, Json::array()})})
    EXPECT_EQ(after([&](Json& document) { actions_of(document, 0)[0] = other; }).front().substr(0, 51),
              "program.json: /programs/0/actions/0: expected an ob");
}

}  // namespace
}  // namespace spillway::testing
