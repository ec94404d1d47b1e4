// Readers accept or refuse texts made to break them, in time and memory in proportion to the text.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "base/error.h"
#include "base/number.h"
#include "base/stopwatch.h"
#include "calibrate/fitted_document.h"
#include "support/property.h"
#include "traces/files/json_events.h"
#include "traces/files/json_file.h"
#include "traces/samples/message_rows.h"
#include "traces/written_file.h"

namespace spillway::testing {
namespace {

using Json = nlohmann::ordered_json;

// Reads the nodes that a comment line states, by the grammar's regular expression.
MessageHeader by_expression(std::string text) {
  text.erase(0, std::min(text.find_first_not_of(" \t#"), text.size()));
  static const std::regex nodes(R"((\w+).*\b(\d+) nodes x (\d+)x.*)");
  MessageHeader header;
  std::smatch match;
  if (!std::regex_match(text, match, nodes)) return header;
  header.neighbours = number_from<std::uint32_t>(match[3].str());
  header.devices = number_from<std::uint32_t>(match[2].str()).value_or(0) * header.neighbours.value_or(0);
  return header;
}

RC_GTEST_PROP(MessageHeader, FindsNodesWhereTheGrammarDoes, ()) {
  const auto parts = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("all_reduce_perf", " ", " nodes x ", " nodes x", "nodes", "12", "8x", "8",
                                    "x", "-", "_", "3 nodes x 4x"));
  std::string text = *rc::gen::element<std::string>("", "all_gather", "p ");
  for (const std::string& part : parts)
    if (text.size() < 60) text += part;
  const MessageHeader expected = by_expression(text);
  MessageHeader header;
  header.read_comment(text);
  RC_ASSERT(header.neighbours == expected.neighbours);
  RC_ASSERT(header.devices == expected.devices);
}

TEST(MessageHeader, ReadsALongCommentAtOnce) {
  const Stopwatch watch;
  for (const std::string& part :
       {std::string("a"), std::string("1 nodes x "), std::string("7 nodes x 8"), std::string(" ")}) {
    std::string line = "all_reduce ";
    while (line.size() < 1'000'000) line += part;
    MessageHeader header;
    header.read_comment(line);
    EXPECT_EQ(header.neighbours, std::nullopt);
    header.read_comment(line + " 2 nodes x 8x H100");
    EXPECT_EQ(header.neighbours, 8u);
    EXPECT_EQ(header.devices, 16u);
  }
  EXPECT_LT(watch.seconds(), 2);  // 0.03 s here
}

const std::string kPlatform = SPILLWAY_SOURCE_DIR "/platforms/hgx-h100.json";

std::string platform_with_note(const std::string& note) {
  std::ifstream file(kPlatform);
  Json document = Json::parse(file);
  document["note"] = note;
  return document.dump();
}

TEST(CalibratedDocument, KeepsEveryTextAsItIs) {
  const Stopwatch watch;
  for (const std::string& note :
       {"[" + std::string(200'000, ' '), std::string("[ 1, 2 ] and \"[ 3,\n 4 ]\" \\"),
        "[ " + std::string(200'000, '1'), std::string(200'000, '[')}) {
    const WrittenFile base(platform_with_note(note), "base.json");
    Json document = Json::parse(calibrated_document(base.path(), {}, base.path()));
    EXPECT_EQ(document["note"], note);
    document["name"] = Json::parse(platform_with_note(note))["name"];
    EXPECT_EQ(document, Json::parse(platform_with_note(note)));
  }
  EXPECT_LT(watch.seconds(), 5);
}

std::string refusal_of(const std::string& text) {
  const WrittenFile file(text);
  try {
    read_json_events(file.path(), {}, [](const JsonEvent&) { return true; });
  } catch (const InputError& bad) {
    EXPECT_EQ(bad.violations().front().file, file.path());
    return bad.violations().front().expected;
  }
  return "taken";
}

std::string repeated(const std::string& part, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += part;
  return text;
}

TEST(JsonEvents, OfAnyDepthAreRefusedBeforeTheyAreHeld) {
  const std::size_t many = 2'000'000;
  for (const std::string& text :
       {std::string(many, '['), repeated("{\"a\":", many), "{\"x\":" + std::string(many, '[')})
    EXPECT_EQ(refusal_of(text), "JSON that is not nested so deep") << text.substr(0, 30);
}

TEST(JsonEvents, OfAnyLengthAreRefusedBeforeTheyAreHeld) {
  const std::string longest = "events and values of at most 16 MiB";
  const std::size_t many = 17u << 20;
  EXPECT_EQ(refusal_of("[{\"name\":\"" + std::string(many, 'a')), longest);
  EXPECT_EQ(refusal_of("{\"" + std::string(many, 'a')), longest);
  EXPECT_EQ(refusal_of("{\"a\":\"" + std::string(many, 'a')), longest);
  EXPECT_EQ(refusal_of("[{\"args\":" + std::string(many, '[')), longest);
  EXPECT_EQ(refusal_of("{\"traceEvents\":[{\"args\":" + repeated("{\"a\":", many / 5)), longest);
  EXPECT_EQ(refusal_of("[{\"args\":{\"a\":[" + repeated("1,", many / 2)), longest);
  EXPECT_EQ(refusal_of("{\"a\":[" + repeated("1,", 200'000) + "1]}"),
            "trace events and a few values beside them");
  EXPECT_EQ(refusal_of("[" + repeated("{\"name\":\"" + std::string(1000, 'a') + "\"},", 20'000) + "{}]"),
            "taken");
}

TEST(JsonFile, NestedTooDeepIsRefused) {
  const WrittenFile deep(std::string(1'000'000, '['), "deep.json"),
      shallow(R"({"a": [[[{}]]]})", "shallow.json");
  EXPECT_THROW(read_json_file(deep.path()), InputError);
  EXPECT_EQ(read_json_file(shallow.path()), Json::parse(R"({"a": [[[{}]]]})"));
}

}  // namespace
}  // namespace spillway::testing
