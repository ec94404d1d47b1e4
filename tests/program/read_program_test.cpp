// The reader of spillway/program/1 against the writer and the schema.
#include "program/read_program.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "api/program.h"
#include "program/deadlock.h"
#include "small_program.h"
#include "support/long_property.h"
#include "support/nightly.h"
#include "support/programs.h"
#include "support/schema_check.h"
#include "support/shipped.h"
#include "support/temporary_folder.h"

namespace spillway::testing {
namespace {

// A reader of large files holds a part of them at a time.
TEST(ProgramReader, ReadsAFileThatIsLargerThanItsBuffer) {
  const TemporaryFolder folder;
  const std::string text = text_of(lowered("1f1b", 8, 64));
  ASSERT_GT(text.size(), std::size_t{1} << 19);
  EXPECT_EQ(text_of(read_program(folder.file("program.json", text))), text);
}

SPILLWAY_LONG_PROP(ProgramReader, WritesWhatItReadToTheByte, 100) {
  const RandomDerivation random = *random_derivation({.every_skeleton = true});
  RC_LOG() << random;
  const std::string text = text_of(lowered(random));
  RC_ASSERT(text_of(program_from(text)) == text);
}

SPILLWAY_LONG_PROP(ProgramReader, ReadsDocumentsThatTheSchemaAccepts, 100) {
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

}  // namespace
}  // namespace spillway::testing
