// Configuration files as settings: names, values and lines, and what is refused.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "launch/document/settings.h"

namespace spillway {
namespace {

std::string shown_settings(const std::vector<LaunchArgument>& settings) {
  std::string text;
  for (const LaunchArgument& setting : settings) {
    text += std::to_string(setting.line) + ' ' + setting.name;
    for (const ScriptWord& value : setting.values) text += " <" + value.text + '>';
    text += '\n';
  }
  return text;
}

std::string messages(const Findings& findings) {
  std::string text;
  for (const Violation& each : findings.all())
    text += each.pointer + ": " + each.expected + ", " + each.found + '\n';
  return text;
}

TEST(LaunchDocument, TomlIsReadByTables) {
  Findings findings("x");
  const auto settings = read_toml(
      "top = 1_000\n[a]\nflag = true\nlist = [\"x\", 2]\n[a.b]\nrate = 0.5\nnone = []\n[[c]]\nk = 'v'\n", "",
      findings);
  EXPECT_TRUE(findings.empty());
  EXPECT_EQ(shown_settings(settings),
            "1 top <1000>\n3 a.flag <true>\n4 a.list <x> <2>\n6 a.b.rate <0.5>\n7 a.b.none\n9 c.0.k <v>\n");
}

TEST(LaunchDocument, YamlAndJsonAreReadByMappings) {
  Findings findings("x");
  const auto settings = read_yaml(
      "a:\n  b: yes\n  list: [1, x]\n  items:\n  - k: 1\n    l: 2\nnone: null\ntext: >\n  two\n  lines\n",
      "f.yaml", findings);
  EXPECT_TRUE(findings.empty());
  EXPECT_EQ(
      shown_settings(settings),
      "2 a.b <yes>\n3 a.list <1> <x>\n5 a.items.0.k <1>\n6 a.items.0.l <2>\n7 none\n8 text <two lines\n>\n");
  EXPECT_EQ(settings.front().file, "f.yaml");
  const auto json =
      read_yaml("{\n \"zero\": {\"stage\": 3, \"size\": 1e9},\n \"on\": \"auto\"\n}\n", "", findings);
  EXPECT_EQ(shown_settings(json), "2 zero.stage <3>\n2 zero.size <1e9>\n3 on <auto>\n");
}

TEST(LaunchDocument, WhatIsNoDocumentIsRefusedWithItsLine) {
  Findings findings("x");
  read_toml("a = 1\nb = = 2\n", "", findings);
  EXPECT_NE(messages(findings).find("line 2: TOML"), std::string::npos) << messages(findings);
  Findings others("x");
  read_yaml("a: 1\nb: [1\nc: 2\n", "z.yaml", others);
  EXPECT_NE(messages(others).find("z.yaml, line"), std::string::npos) << messages(others);
  Findings lists("x");
  read_yaml("- 1\n- 2\n", "", lists);
  EXPECT_NE(messages(lists).find("a mapping of keys to values"), std::string::npos) << messages(lists);
}

TEST(LaunchDocument, SizeAndDepthAreBounded) {
  std::string deep = "a";
  for (int i = 0; i < 80; ++i) deep += ".a";
  Findings findings("x");
  read_toml(deep + " = 1\n", "", findings);
  EXPECT_NE(messages(findings).find("64 levels deep"), std::string::npos) << messages(findings);
  // Each level repeats the one before ten times.
  std::string bomb = "a0: &a0 {k: 1}\n";
  for (int i = 1; i < 9; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) bomb += (k == 0 ? "*a" : ", *a") + std::to_string(i - 1);
    bomb += "]\n";
  }
  Findings others("x");
  read_yaml(bomb, "", others);
  EXPECT_NE(messages(others).find("at most 20000 settings"), std::string::npos) << messages(others);
}

TEST(LaunchDocument, ControlCharactersAreRefused) {
  Findings findings("x");
  EXPECT_TRUE(read_toml("a = \"\\u0001\"\n", "", findings).empty());
  EXPECT_TRUE(read_yaml("a: \"\\x02\"\n", "", findings).empty());
  EXPECT_EQ(messages(findings), "line 1: text without control characters, one of them\n");
}

TEST(LaunchDocument, SettingsBesideAFileHaveItsNames) {
  EXPECT_EQ(shown_settings(settings_given({"--training.seq-len=4096", "a_b 1 2", "flag"})),
            "0 training.seq_len <4096>\n0 a_b <1> <2>\n0 flag\n");
}

}  // namespace
}  // namespace spillway
