#include "traces/files/json_events.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "json/byte_source.h"
#include "support/property.h"
#include "trace_files.h"

namespace spillway::testing {
namespace {

using nlohmann::json;

constexpr std::string_view kArguments[] = {"microbatch", "name"};

// Returns the event with all its fields, as one line.
std::string line_of(const JsonEvent& e) {
  const auto number = [](std::optional<double> x) { return x ? std::to_string(*x) : "none"; };
  std::string line = std::to_string(e.number) + '|' + (e.phase ? std::string(1, e.phase) : "") + '|' +
                     e.name + '|' + e.category + '|' + e.process + '|' + e.thread + '|' + e.id + '|' +
                     number(e.at ? std::optional(e.at->seconds() * 1e6) : std::nullopt) + '|' +
                     number(e.duration_us);
  for (const std::string& argument : e.arguments) line += '|' + argument;
  return line;
}

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  read_json_events(path, kArguments, [&](const JsonEvent& event) {
    lines.push_back(line_of(event));
    return true;
  });
  return lines;
}

const std::string kTwo =
    R"([{"ph":"X","name":"a","cat":"kernel","pid":0,"tid":"stream 7","ts":"5.5","dur":2,"args":{"microbatch":3}},
        {"ph":"M","name":"b","pid":1,"args":{"x":{"microbatch":9,"y":[{"name":"no"}]},"name":"yes"}}])";
const std::vector<std::string> kTwoLines = {"1|X|a|kernel|0|stream 7||5.500000|2.000000|3|",
                                            "2|M|b||1|||none|none||yes"};

TEST(JsonEvents, ABareArrayAnObjectAndAnArchiveReadAlike) {
  const std::string bare = measured_file("bare.json", kTwo);
  EXPECT_EQ(lines_of(bare), kTwoLines);
  EXPECT_EQ(lines_of(gzipped(bare)), kTwoLines);
  EXPECT_EQ(lines_of(measured_file("marked.json", std::string(kByteOrderMark) + kTwo)), kTwoLines);
  const std::string object =
      R"({"schemaVersion":1,"x":[{"ts":1}],"traceEvents":)" + kTwo + R"(,"y":{"z":[]}})";
  EXPECT_EQ(lines_of(measured_file("object.json", object)), kTwoLines);
}

TEST(JsonEvents, WhatStandsBesideTheEventsHasItsPointer) {
  const std::string path = measured_file(
      "outside.json",
      R"({"stackFrames":[{"id":0}],"traceEvents":[{"ts":1}],"distributedInfo":{"rank":3,"pg_config":[{"ranks":[4,5]}]}})");
  const auto read = read_json_events(path, {}, [](const JsonEvent&) { return true; });
  EXPECT_EQ(read.events, 1u);
  EXPECT_EQ(read.outside_value("/distributedInfo/rank"), "3");
  EXPECT_EQ(read.outside_value("/distributedInfo/pg_config/0/ranks/1"), "5");
  EXPECT_EQ(read.outside.size(), 3u);  // no stack frames
}

TEST(JsonEvents, AnArrayWithoutItsEndIsReadAndSaidToBe) {
  for (const std::string end : {"", ",", ",\n"}) {
    const std::string path = measured_file("open.json", R"([{"ts":1},{"ts":2})" + end);
    const auto read = read_json_events(path, {}, [](const JsonEvent&) { return true; });
    EXPECT_EQ(read.events, 2u);
    EXPECT_TRUE(read.unterminated);
  }
  EXPECT_FALSE(read_json_events(measured_file("bare.json", kTwo), {}, [](const JsonEvent&) {
                 return true;
               }).unterminated);
}

TEST(JsonEvents, AConsumerMayStop) {
  const auto read = read_json_events(measured_file("stop.json", R"([{"ts":1},{"ts":2}, broken)"), {},
                                     [](const JsonEvent&) { return false; });
  EXPECT_TRUE(read.stopped);
  EXPECT_EQ(read.events, 1u);
}

TEST(JsonEvents, BrokenTextIsRefusedWithItsOffset) {
  const auto refused = [](const std::string& text) {
    const std::string path = measured_file("broken.json", text);
    const Violation violation = violation_of([&] { lines_of(path); });
    EXPECT_EQ(violation.file, path);
    return violation.pointer + ": " + violation.found;
  };
  EXPECT_EQ(refused(""), "byte 0: an empty file");
  EXPECT_EQ(refused(R"({"traceEvents":[{"ts":1},{"ts":2)"), "byte 32: the end of the file after 2 events");
  EXPECT_EQ(refused(R"([{"ts":1},{"ts")"), "byte 15: the end of the file after 2 events");
  EXPECT_EQ(refused(R"([{"ts":1},{"ts":1;}])").substr(0, 8), "byte 17:");
  EXPECT_EQ(refused(R"({"rows":[]})"), "byte 11: neither");
  EXPECT_EQ(refused("step,time\n1,2\n").substr(0, 7), "byte 0:");
}

TEST(JsonEvents, ATruncatedArchiveIsRefused) {
  std::string text = "[";
  for (int i = 0; i < 20'000; ++i) text += R"({"ts":)" + std::to_string(i * 7919 % 100'003) + "},\n";
  const std::string path = gzipped(measured_file("cut.json", text + "{}]"));
  cut_in_half(path);
  EXPECT_EQ(violation_of([&] { lines_of(path); }).expected, "a whole gzip file");
}

// The file is longer than a buffer, so that events cross its end.
TEST(JsonEvents, DeepNestingAndLongFilesAreRead) {
  std::string text = R"([{"ts":1,"args":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  for (int i = 0; i < 30'000; ++i) text += R"(,{"name":"gemm )" + std::to_string(i) + R"("})";
  const auto lines = lines_of(measured_file("long.json", text + "]"));
  ASSERT_EQ(lines.size(), 30'001u);
  for (int i = 0; i < 30'000; ++i)
    ASSERT_EQ(lines[i + 1], std::to_string(i + 2) + "||gemm " + std::to_string(i) + "|||||none|none||");
}

json random_scalar() {
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
      return *rc::gen::inRange(-1000, 1000);
    case 1:
      return *rc::gen::inRange(0, 100'000) / 64.0;
    case 2:
      return nullptr;
    case 3:
      return *rc::gen::arbitrary<bool>();
    default:
      return *rc::gen::container<std::string>(rc::gen::elementOf(std::string("a0.\"\\,:{}[] ")));
  }
}

json random_value(int depth) {
  if (depth == 0 || *rc::gen::inRange(0, 3) > 0) return random_scalar();
  json value = *rc::gen::arbitrary<bool>() ? json::array() : json::object();
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    if (value.is_array())
      value.push_back(random_value(depth - 1));
    else
      value[*rc::gen::element<std::string>("name", "ts", "args", "microbatch", "x")] =
          random_value(depth - 1);
  }
  return value;
}

json random_event() {
  json event = json::object();
  for (const char* key : {"ph", "name", "cat", "pid", "tid", "id", "ts", "dur", "args", "other"})
    if (*rc::gen::inRange(0, 4) > 0) event[key] = random_value(3);
  return event;
}

// Returns the lines by nlohmann's parser, which reads the document as a whole.
std::vector<std::string> lines_by_document(const json& events) {
  const auto scalar = [](const json& value) -> std::string {
    if (value.is_string()) return value.get<std::string>();
    return value.is_number() || value.is_boolean() ? value.dump() : "";
  };
  const auto member = [](const json& object, const std::string& key) {
    return object.is_object() ? object.value(key, json()) : json();
  };
  const auto text = [&](const json& object, const char* key) { return scalar(member(object, key)); };
  const auto argument = [&](const json& value) {
    if (!value.is_structured()) return scalar(value);
    std::string joined;
    for (const json& element : value)
      if (!element.is_structured()) joined += (joined.empty() ? "" : " ") + scalar(element);
    return joined;
  };
  std::vector<std::string> lines;
  for (const json& event : events) {
    JsonEvent e;
    e.number = lines.size() + 1;
    const std::string phase = text(event, "ph"), duration = text(event, "dur");
    e.phase = phase.size() == 1 ? phase[0] : '\0';
    e.name = text(event, "name"), e.category = text(event, "cat");
    e.process = text(event, "pid"), e.thread = text(event, "tid"), e.id = text(event, "id");
    e.at = ClockReading::parse(text(event, "ts"));
    if (event.contains("dur") && event["dur"].is_number()) e.duration_us = event["dur"].get<double>();
    for (const std::string_view key : kArguments)
      e.arguments.push_back(argument(member(member(event, "args"), std::string(key))));
    lines.push_back(line_of(e));
  }
  return lines;
}

RC_GTEST_PROP(JsonEventsProperty, AreWhatTheWholeDocumentHolds, ()) {
  json events = json::array();
  for (int i = *rc::gen::inRange(0, 6); i > 0; --i) events.push_back(random_event());
  for (json& event : events)  // a text that is a number also counts as one; not checked here
    if (event.contains("dur") && !event["dur"].is_number()) event.erase("dur");
  const json object = {{"other", random_value(3)}, {"traceEvents", events}};
  const bool bare = *rc::gen::arbitrary<bool>();
  const std::string path =
      measured_file("random.json", (bare ? events : object).dump(*rc::gen::inRange(-1, 3)));
  RC_ASSERT(lines_of(path) == lines_by_document(events));
}

}  // namespace
}  // namespace spillway::testing
