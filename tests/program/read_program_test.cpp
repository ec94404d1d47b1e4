// The reader of spillway/program/1 against the writer, the schema, and documents with one fault each.
#include "program/read_program.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "api/program.h"
#include "program/deadlock.h"
#include "support/nightly.h"
#include "support/programs.h"
#include "support/property.h"
#include "support/schema_check.h"
#include "support/shipped.h"

namespace spillway::testing {
namespace {

using Json = nlohmann::ordered_json;
using Lines = std::vector<std::string>;

Lines complaints(const std::string& text) {
  try {
    program_from(text);
  } catch (const InputError& error) {
    Lines lines;
    for (const Violation& violation : error.violations()) lines.push_back(to_string(violation));
    return lines;
  }
  return {};
}

// Two ranks, two microbatches, one trained stage each, two replicas: messages, reductions, updates.
Json small_document() {
  const Model model({{"llm", Role::Backbone, 2, true}});
  DeriveOptions options{.pipeline = {2, 2, 2}};
  const Derived derived = derive(model, schedule("1f1b"), {}, options);
  return Json::parse(text_of(lowered(derived, uniform_costs(1, 1, 1, 0.25))));
}

Json& actions_of(Json& document, std::size_t program) {
  return document["programs"][program]["actions"];
}

// Returns the index of the rank's action number `number` of this op, from 0.
std::size_t index_of(Json& document, std::size_t program, const std::string& op, std::size_t number = 0) {
  const Json& actions = actions_of(document, program);
  for (std::size_t index = 0; index < actions.size(); ++index)
    if (actions[index]["op"] == op && number-- == 0) return index;
  throw std::out_of_range(op);
}

Json& action_of(Json& document, std::size_t program, const std::string& op, std::size_t number = 0) {
  return actions_of(document, program)[index_of(document, program, op, number)];
}

// A reader of large files holds a part of them at a time.
TEST(ProgramReader, ReadsAFileThatIsLargerThanItsBuffer) {
  const std::string path = ::testing::TempDir() + "large-program-" + std::to_string(getpid()) + ".json";
  const std::string text = text_of(lowered("1f1b", 8, 64));
  ASSERT_GT(text.size(), std::size_t{1} << 19);
  std::ofstream(path) << text;
  EXPECT_EQ(text_of(read_program(path)), text);
  std::filesystem::remove(path);
}

// Changes the small document at one place.
Lines after(const std::function<void(Json&)>& change) {
  Json document = small_document();
  change(document);
  return complaints(document.dump());
}

RC_GTEST_PROP(ProgramReader, WritesWhatItReadToTheByte, ()) {
  const RandomDerivation random = *random_derivation({.every_skeleton = true});
  RC_LOG() << random;
  const std::string text = text_of(lowered(random));
  RC_ASSERT(text_of(program_from(text)) == text);
}

RC_GTEST_PROP(ProgramReader, ReadsDocumentsThatTheSchemaAccepts, ()) {
  static const SchemaCheck schema("program");
  const RandomDerivation random =
      *random_derivation({.ranks = 3, .microbatches = 3, .replicas = 2, .every_skeleton = true});
  RC_LOG() << random;
  const auto document = nlohmann::json::parse(text_of(lowered(random)));
  RC_ASSERT(schema.complaints(document) == "");
}

// nlohmann::json sorts keys: "programs" comes before "ranks" and "stages".
TEST(ProgramReader, TakesKeysInAnyOrder) {
  const std::string text = text_of(lowered("zb-h1", 3, 4));
  EXPECT_EQ(text_of(program_from(nlohmann::json::parse(text).dump())), text);
}

// The quick form leaves out what takes long: large jobs, and those whose parameters are fitted first.
bool is_quick(const Experiment& experiment) {
  const Pipeline& job = experiment.pipeline;
  return experiment.fits.empty() && job.ranks * job.microbatches * job.replicas <= 1024;
}

// Systems are among them.
TEST(ShippedPrograms, AreReadBackAndDoNotBlockUnderRendezvous) {
  const SchemaCheck schema("program");
  int read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kExperiments)) {
    DeriveArguments arguments;
    arguments.experiment.source = Source(entry.path().string());
    arguments.format = "program";
    SCOPED_TRACE(entry.path());
    const Experiment experiment = read_experiment(arguments.experiment);
    if (!is_nightly() && !is_quick(experiment)) continue;
    for (const ScheduleSpec& spec : experiment.schedules) {
      arguments.schedule = spec.name;
      SCOPED_TRACE(spec.name);
      std::string text;
      try {
        text = text_of(program_of(derive_order(arguments)));
      } catch (const InputError&) {
        continue;  // no program: modules, moved samples
      }
      const Program program = program_from(text);
      EXPECT_EQ(text_of(program), text);
      EXPECT_TRUE(check_blocking(program, 0).safe);
      EXPECT_EQ(text.size() < 50'000 ? schema.complaints(nlohmann::json::parse(text)) : "", "");
      ++read;
    }
  }
  EXPECT_GT(read, 40);
}

TEST(ProgramReader, TakesIdsThatDoNotFollowOneAnother) {
  Json document = small_document();
  for (Json& program : document["programs"])
    for (Json& action : program["actions"]) {
      action["id"] = 1000 - action["id"].get<int>() * 3;
      if (action["op"] == "wait") action["for"] = 1000 - action["for"].get<int>() * 3;
    }
  const Program program = program_from(document.dump());
  EXPECT_EQ(program.programs[0].id(0), 1000u);
  EXPECT_EQ(program.programs[0].id(1), 997u);
  EXPECT_EQ(Json::parse(text_of(program)), document);
}

TEST(ProgramReader, NamesTheByteWhereATextBreaksOff) {
  const std::string text = small_document().dump();
  for (std::size_t size = 0; size < text.size(); size += 7) {
    const Lines lines = complaints(text.substr(0, size));
    ASSERT_EQ(lines.size(), 1u) << size;
    EXPECT_TRUE(lines[0].starts_with("program.json: byte ")) << lines[0];
    EXPECT_NE(lines[0].find("found the end of the file after "), std::string::npos) << lines[0];
  }
  EXPECT_EQ(
      complaints(text.substr(0, 1)),
      Lines{"program.json: byte 1: expected a program as JSON, found the end of the file after 0 actions"});
}

TEST(ProgramReader, RefusesBytesBehindTheDocument) {
  EXPECT_EQ(complaints(small_document().dump() + "{}").size(), 1u);
  EXPECT_EQ(complaints(small_document().dump() + std::string("\0x", 2)).size(), 1u);
}

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

// A document that the schema refuses is refused by the reader, too, at every place and in every way.
TEST(ProgramReader, RefusesWhatTheSchemaRefuses) {
  const SchemaCheck schema("program");
  const Json document = small_document();
  int refused = 0, accepted = 0;
  const auto hold = [&](const Json& changed) {
    const bool by_reader = complaints(changed.dump()).empty();
    EXPECT_TRUE(!by_reader || schema.accepts(nlohmann::json(changed))) << changed.dump();
    ++(by_reader ? accepted : refused);
  };
  const Json flat = document.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    const Json::json_pointer at(pointer);
    for (const Json& other : {Json(nullptr), Json(-1), Json(0.5), Json(7), Json(1e16), Json("x"),
                              Json::array(), Json::object()}) {
      Json changed = document;
      changed[at] = other;
      hold(changed);
    }
    Json changed = document;
    changed[at.parent_pointer()].erase(at.back());
    if (changed[at.parent_pointer()].is_object()) hold(changed);
  }
  EXPECT_GT(refused, 500);
  EXPECT_GT(accepted, 10);
}

TEST(ProgramReader, RefusesActionsThatAreNoObjects) {
  for (const Json& other : {Json(5), Json("x"), Json(nullptr), Json::array({1, Json::array()})})
    EXPECT_EQ(after([&](Json& document) { actions_of(document, 0)[0] = other; }).front().substr(0, 51),
              "program.json: /programs/0/actions/0: expected an ob");
}

}  // namespace
}  // namespace spillway::testing
